// Checks that operands go together, shared by shape rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

// All of them throw ErrorCode::invalid where it is certain that something cannot be, and let pass
// what is not known yet. `name` is the operand's name in ONNX's documentation.

/// Both are numbers and differ; `what` says whose dimension was found.
void check_dimension(std::string_view what, const Dimension& found, const Dimension& expected);

/// The input is no vector of `count` elements.
void check_vector(const InferContext& context, std::int64_t input, std::string_view name,
                  const Dimension& count);

/// The input's rank is below `least`.
void check_rank_at_least(const InferContext& context, std::int64_t input, std::string_view name,
                         std::int64_t least);

/// The input's rank is not `rank`.
void check_rank(const InferContext& context, std::int64_t input, std::string_view name,
                std::int64_t rank);

/// The input cannot be spread over `target` (as numpy does, one way only).
void check_broadcasts_to(const InferContext& context, std::int64_t input, std::string_view name,
                         const PartialShape& target);

/// The input holds more or less than one element.
void check_single(const InferContext& context, std::int64_t input, std::string_view name);

/// A shape of this rank cannot be made.
void check_output_rank(std::size_t rank);

/// A value that becomes a dimension is negative or beyond 2^43; `what` names it.
void check_size(std::string_view what, std::int64_t size);

/// The one integer that the input holds, or nothing while it is not known. Throws
/// ErrorCode::invalid when it holds more or less than one.
std::optional<std::int64_t> single_integer(const InferContext& context, std::int64_t input,
                                           std::string_view name);

/// The dimension of an input's shape, or unknown when its rank is.
Dimension dimension_at(const InferContext& context, std::int64_t input, std::int64_t axis);

}  // namespace ortool
