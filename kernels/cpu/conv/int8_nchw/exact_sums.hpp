// Convolutions whose float sums are exact, so that rounding ties need no decision of their own.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"

namespace ortool::cpu {

/// Whether the float formula of `floats` and the formula on int32 sums give the same bytes for any
/// image: all scales are powers of two, and no sum has more than 24 bits. `weights`: channels ×
/// `depth`, without zero points; `biases`: of the int32 sums, null: none.
bool has_exact_sums(std::int64_t channels, std::int64_t depth, const std::uint8_t* weights,
                    std::uint8_t weight_flip, const Int8ConvFloats& floats, std::int32_t image_zero,
                    const std::int32_t* biases);

}  // namespace ortool::cpu
