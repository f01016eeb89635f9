// What shape rules share: broadcasting, merging dimensions, and arithmetic on values that are
// shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// Values of rank 0 or 1 with more elements than this are not followed through shape arithmetic.
constexpr std::int64_t most_shape_values = most_known_elements;

/// The dimension of two that broadcast to one another: 1 gives way, and where one side is not known
/// a number above 1 must be the answer. Throws ErrorCode::invalid for different numbers.
Dimension broadcast_dimensions(const Dimension& a, const Dimension& b);
/// ONNX's multidirectional broadcasting. Unknown when the rank of either is.
PartialShape broadcast_shapes(const PartialShape& a, const PartialShape& b);
/// Of all inputs in [first, last).
PartialShape broadcast_inputs(const InferContext& context, std::int64_t first, std::int64_t last);

/// One dimension that two places describe, the better known of both. Throws ErrorCode::invalid for
/// different numbers.
Dimension merge_dimensions(const Dimension& a, const Dimension& b);
PartialShape merge_shapes(const PartialShape& a, const PartialShape& b);

/// The element type that inputs [first, last) share, undefined when none is known. Throws
/// ErrorCode::invalid when two differ.
DataType common_element(const InferContext& context, std::int64_t first, std::int64_t last);

/// Axes in [-rank, rank) as [0, rank), in the order given. Throws ErrorCode::invalid for one that
/// is outside or given twice.
std::vector<std::int64_t> normalize_axes(std::span<const std::int64_t> axes, std::int64_t rank);

enum class DimensionOp { add, subtract, multiply, divide, minimum, maximum };

/// The operators of libcore/graph/dimension.hpp by name; division is towards zero.
Dimension combine_dimensions(DimensionOp op, const Dimension& a, const Dimension& b);
/// The product; 1 of none.
Dimension multiply_dimensions(std::span<const Dimension> dimensions);

/// a * b, both sizes; throws ErrorCode::invalid when that is a number above 2^43.
Dimension multiply_dimensions(const Dimension& a, const Dimension& b);

/// The number as a Dimension, unknown when negative.
Dimension dimension_of(std::int64_t number);
/// The numbers, all of them known: the least of 64 bits, which stands for an unknown one, becomes
/// the next.
Dimensions dimensions_from(std::span<const std::int64_t> numbers);
/// An integer input of rank 0 or 1, element by element, negative numbers too; nothing
/// when their count is unknown or above most_shape_values.
std::optional<Dimensions> integer_values(const InferContext& context, std::int64_t index);
/// The same as sizes: negative numbers are unknown ones.
std::optional<Dimensions> shape_values(const InferContext& context, std::int64_t index);
/// Output 0's value, when it is int32 or int64 and there are not too many.
void set_shape_values(InferContext& context, DataType element, std::optional<Dimensions> values);
/// What `value` is in this context: the input's value first, since a graph input's default may be
/// replaced. Nothing when it is left out or comes at run time.
std::optional<std::vector<std::int64_t>> known_integers(
    const InferContext& context, const ValueOr<std::vector<std::int64_t>>& value);

/// The same element by element: numbers, formulas or unknown ones. Nothing when not even their
/// count is known.
std::optional<Dimensions> known_elements(const InferContext& context,
                                         const ValueOr<std::vector<std::int64_t>>& value);

/// a + b, either perhaps negative; throws ErrorCode::invalid when the sum passes 2^43 either way.
std::int64_t add_sizes(std::int64_t a, std::int64_t b);

}  // namespace ortool
