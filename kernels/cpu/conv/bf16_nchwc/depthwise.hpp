// Depthwise 3 × 3 convolution of NCHW16c images stored in bfloat16, in float32 arithmetic.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/f32_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/bf16_features.hpp"

namespace ortool::cpu {

/// As NchwcFunctions::depthwise_three.
struct Bf16DepthwiseFunctions {
  /// From bfloat16 to float32.
  void (*widening)(const NchwcDepthwise3x3& three, int64_t begin, int64_t end);
  /// From float32 to bfloat16.
  void (*narrowing)(const NchwcDepthwise3x3& three, int64_t begin, int64_t end);
  /// From bfloat16 to bfloat16.
  void (*in_bfloat16)(const NchwcDepthwise3x3& three, int64_t begin, int64_t end);
};

ORTOOL_ISA_BF16_KERNEL_OR_NULL(Bf16DepthwiseFunctions, bf16_depthwise_functions, bf16)

}  // namespace ortool::cpu
