// Compatibility checks of operands, shared by shape rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

// All of these throw ErrorCode::invalid when a violation is certain, and accept what is not known
// yet. `name` is the operand's name in ONNX's documentation.

/// Throws when both dimensions are numbers and differ; `what` names the dimension that was found.
void check_dimension(std::string_view what, const Dimension& found, const Dimension& expected);

/// Throws when the input is not a vector of `count` elements.
void check_vector(const InferContext& context, std::int64_t input, std::string_view name,
                  const Dimension& count);

/// Throws when the input's rank is below `least`.
void check_rank_at_least(const InferContext& context, std::int64_t input, std::string_view name,
                         std::int64_t least);

/// Throws when the input's rank is not `rank`.
void check_rank(const InferContext& context, std::int64_t input, std::string_view name,
                std::int64_t rank);

/// Throws when the input cannot be broadcast to `target` (NumPy-style, unidirectional).
void check_broadcasts_to(const InferContext& context, std::int64_t input, std::string_view name,
                         const PartialShape& target);

/// Throws when the input does not hold exactly one element.
void check_single(const InferContext& context, std::int64_t input, std::string_view name);

/// Throws when `rank` exceeds the supported maximum.
void check_output_rank(std::size_t rank);

/// Throws when a value that becomes a dimension is negative or above 2^43; `what` names it.
void check_size(std::string_view what, std::int64_t size);

/// The single integer in the input, or nothing while it is unknown. Throws ErrorCode::invalid when
/// the input does not hold exactly one element.
std::optional<std::int64_t> single_integer(const InferContext& context, std::int64_t input,
                                           std::string_view name);

/// One dimension of an input's shape; unknown when the rank is unknown.
Dimension dimension_at(const InferContext& context, std::int64_t input, std::int64_t axis);

}  // namespace ortool
