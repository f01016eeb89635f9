// Value and shape queries for rules.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/node.hpp"

namespace ortool {

/// The element type of a tensor, or undefined.
DataType element_of(const Value& value);
bool is_float_tensor(const Value& value);
/// The dimensions, or null when not even the rank is known.
const Dimensions* dimensions_of(const Value& value);
/// The sizes of the axes after the first two, such as those of an image or of a convolution's
/// kernel; nothing if one is not known.
std::optional<std::vector<std::int64_t>> spatial_sizes(const Value& value);
/// The rank, or -1.
std::int64_t rank_of(const Value& value);
/// Whether both are equal numbers or formulas; a symbol named "a + b" equals that sum.
bool are_equal(const Dimension& a, const Dimension& b);
bool are_equal(const Dimensions& a, const Dimensions& b);
/// Whether both types are equal and fully known.
bool have_equal_types(const Value& a, const Value& b);
/// Whether `from` broadcasts to `to` for all values of symbols, without adding dimensions.
bool broadcasts_into(const Dimensions& from, const Dimensions& to);
/// The shape operand of a Reshape from `from` (possibly of unknown rank) to `to`: numbers, 0 where
/// a dimension is copied (unless `zero_is_zero`), and at most one -1. Nothing when more than one
/// dimension would have to be inferred, or when one would next to a 0. An unknown or negative
/// element of `to` is one to infer.
std::optional<std::vector<std::int64_t>> written_shape(const Dimensions* from, const Dimensions& to,
                                                       bool zero_is_zero = false);
/// The permutation of a Transpose of a value of known rank.
std::optional<std::vector<std::int64_t>> order_of(const Node& transpose);
/// Whether a Transpose moves only axes of one element, so that it is a Reshape.
bool moves_ones_alone(const Node& transpose);
/// Whether all elements of a float constant equal `number`.
bool is_filled_with(const Value& constant, double number);
/// The same, distinguishing 0 from -0.
bool is_exactly_filled_with(const Tensor& tensor, double number);
/// A tensor of a float type filled with `number`.
Tensor filled(DataType type, const Shape& shape, double number);

}  // namespace ortool
