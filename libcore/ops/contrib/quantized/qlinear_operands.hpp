// Scales and zero points of quantized operands that are quantized as a whole.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Throws ErrorCode::invalid unless the scale (input `first`) and the zero point behind it, as far
/// as they are given, hold one element; `name` is the operand's.
void check_tensor_scale(const InferContext& context, std::int64_t first, std::string_view name);

}  // namespace ortool
