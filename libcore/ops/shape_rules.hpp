// Helpers for shape rules: broadcasting, merging of dimensions, and arithmetic on values that are
// shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// Values of rank 0 or 1 with more elements than this are not tracked through shape arithmetic.
constexpr std::int64_t max_shape_values = max_known_elements;

/// The broadcast of two dimensions: 1 adapts to the other, and where one is unknown a number above
/// 1 is the result. Throws ErrorCode::invalid for different numbers.
Dimension broadcast_dimensions(const Dimension& a, const Dimension& b);
/// ONNX's multidirectional broadcasting. Unknown when the rank of either shape is unknown.
PartialShape broadcast_shapes(const PartialShape& a, const PartialShape& b);
/// Broadcasts all inputs in [first, last).
PartialShape broadcast_inputs(const InferContext& context, std::int64_t first, std::int64_t last);

/// Merges two descriptions of one dimension into the more precise one. Throws ErrorCode::invalid
/// for different numbers.
Dimension merge_dimensions(const Dimension& a, const Dimension& b);
PartialShape merge_shapes(const PartialShape& a, const PartialShape& b);

/// The common element type of inputs [first, last); undefined when none is known. Throws
/// ErrorCode::invalid when two differ.
DataType common_element(const InferContext& context, std::int64_t first, std::int64_t last);

/// Maps axes from [-rank, rank) to [0, rank), keeping their order. Throws ErrorCode::invalid for
/// axes that are out of range or repeated.
std::vector<std::int64_t> normalize_axes(std::span<const std::int64_t> axes, std::int64_t rank);

enum class DimensionOp { add, subtract, multiply, divide, minimum, maximum };

/// Applies an operator of libcore/graph/dimension.hpp by name; division truncates toward zero.
Dimension combine_dimensions(DimensionOp op, const Dimension& a, const Dimension& b);
/// The product of all dimensions; 1 for an empty list.
Dimension multiply_dimensions(std::span<const Dimension> dimensions);

/// a * b for two sizes; throws ErrorCode::invalid when the result is a number above 2^43.
Dimension multiply_dimensions(const Dimension& a, const Dimension& b);

/// The number as a Dimension; unknown when negative.
Dimension dimension_of(std::int64_t number);
/// Converts known integers, negative ones included. The lowest int64, which denotes an unknown
/// dimension, is replaced by the next higher number.
Dimensions dimensions_from(std::span<const std::int64_t> numbers);
/// An integer input of rank 0 or 1, element by element, negative numbers included; nothing when the
/// number of elements is unknown or above max_shape_values.
std::optional<Dimensions> integer_values(const InferContext& context, std::int64_t index);
/// Like integer_values, for sizes: negative numbers become unknown dimensions.
std::optional<Dimensions> shape_values(const InferContext& context, std::int64_t index);
/// Sets the value of output 0 if it is int32 or int64 and small enough.
void set_shape_values(InferContext& context, DataType element, std::optional<Dimensions> values);
/// The integers of `value` in this context. The input's value takes precedence, since a graph
/// input's default may be replaced. Nothing when it is omitted or only known at run time.
std::optional<std::vector<std::int64_t>> known_integers(
    const InferContext& context, const ValueOrInput<std::vector<std::int64_t>>& value);

/// Like known_integers, element by element: numbers, formulas or unknown. Nothing when the number
/// of elements is unknown.
std::optional<Dimensions> known_elements(const InferContext& context,
                                         const ValueOrInput<std::vector<std::int64_t>>& value);

/// a + b, where either may be negative; throws ErrorCode::invalid when the sum's magnitude exceeds
/// 2^43.
std::int64_t add_sizes(std::int64_t a, std::int64_t b);

}  // namespace ortool
