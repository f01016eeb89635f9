// What rules ask of values and shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// The element type of a tensor, or undefined.
DataType element_of(const Value& value);
bool is_float_tensor(const Value& value);
/// The dimensions, or null when not even the rank is known.
const Dimensions* dimensions_of(const Value& value);
/// The rank, or -1.
std::int64_t rank_of(const Value& value);
/// Whether both are numbers, or formulas, and equal; a symbol called "a + b" is that sum.
bool are_equal(const Dimension& a, const Dimension& b);
bool are_equal(const Dimensions& a, const Dimensions& b);
/// Both types say the same, and all of it.
bool have_equal_types(const Value& a, const Value& b);
/// Whether `from` broadcasts to `to` whatever symbols stand for, adding no dimension.
bool broadcasts_into(const Dimensions& from, const Dimensions& to);
/// What to write as the shape of a Reshape from `from` (perhaps of unknown rank) to `to`: numbers,
/// 0 where a dimension is copied (unless `zero_is_zero`), and at most one -1. Nothing where more
/// would have to be found out, or where a 0 stands among the numbers. An unknown or negative
/// element of `to` is one that is found out.
std::optional<std::vector<std::int64_t>> written_shape(const Dimensions* from, const Dimensions& to,
                                                       bool zero_is_zero = false);
/// The order of a Transpose of a value of known rank.
std::optional<std::vector<std::int64_t>> order_of(const Node& transpose);
/// Whether a Transpose moves no axes but such of one element, so that it is a Reshape.
bool moves_ones_alone(const Node& transpose);
/// Whether all elements of a constant of floats are `number`.
bool is_filled_with(const Value& constant, double number);
/// The same, where the sign of a 0 counts.
bool is_exactly_filled_with(const Tensor& tensor, double number);
/// A tensor of a float type filled with `number`.
Tensor filled(DataType type, const Shape& shape, double number);

}  // namespace ortool
