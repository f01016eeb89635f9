// Nodes that the decompositions of several families are made of.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/ops/contrib/fused/fused_activation.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

Attribute integers_attribute(std::string_view name, std::vector<std::int64_t> values);

/// An operator in the form that ONNX has since that opset: ONNX's own, or ortool's for a graph of
/// an earlier one.
Value& add_since(Decomposition& out, std::int64_t opset, std::string_view op_type,
                 std::vector<Value*> inputs, std::vector<Attribute> given = {});
std::vector<Value*> add_many_since(Decomposition& out, std::int64_t opset, std::string_view op_type,
                                   std::vector<Value*> inputs, std::size_t outputs,
                                   std::vector<Attribute> given = {});

Value& transpose(Decomposition& out, Value& x, std::vector<std::int64_t> order);
/// The order of axes that moves the channels of an image of this rank to the end, and back.
std::vector<std::int64_t> to_channels_last(std::int64_t rank);
std::vector<std::int64_t> to_channels_first(std::int64_t rank);
Value& reshape(Decomposition& out, Value& x, std::span<const std::int64_t> shape);
Value& cast_to(Decomposition& out, Value& x, DataType type);
/// The value as float32 if it has a 16-bit type, else itself.
Value& widened(Decomposition& out, Value& x, DataType type);
/// The end of a slice that takes the rest of an axis.
constexpr std::int64_t end_of_axis = std::numeric_limits<std::int64_t>::max();

/// Part of one axis.
Value& slice_axis(Decomposition& out, Value& x, std::int64_t axis, std::int64_t start,
                  std::int64_t end);
Value& concatenate(Decomposition& out, std::vector<Value*> parts, std::int64_t axis);
Value& gather(Decomposition& out, Value& x, Value& indices, std::int64_t axis);
/// One size of a shape, as a scalar of int64.
Value& axis_size(Decomposition& out, Value& x, std::int64_t axis);
/// 0, 1, … before `end`, a scalar of int64.
Value& range_to(Decomposition& out, Value& end);
/// A reduction such as ReduceSum over these axes; over all of them if there are none.
Value& reduce(Decomposition& out, std::string_view op_type, Value& x,
              const std::vector<std::int64_t>& axes, bool keeps_axes);
/// The sizes of `x` on the axes from `begin` to `end`, as a vector; needs opset 10.
Value& sizes(Decomposition& out, Value& x, std::int64_t begin, std::int64_t end);
/// Adds an axis of size 1, or removes one.
Value& unsqueeze(Decomposition& out, Value& x, std::int64_t axis);
Value& squeeze(Decomposition& out, Value& x, std::int64_t axis);
/// A scalar constant.
Value& scalar(Decomposition& out, DataType type, double value);
Value& integer_scalar(Decomposition& out, std::int64_t value);
/// The function that a fused operator ends with; x itself if there is none.
Value& activated(Decomposition& out, Value& x, const FusedActivation& activation);

}  // namespace ortool
