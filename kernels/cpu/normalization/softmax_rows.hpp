// Softmax row loops for float32, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

struct SoftmaxFunctions {
  /// `rows` slices of `size` contiguous floats; with `logarithm`, log-softmax.
  void (*rows)(const float* in, float* out, int64_t rows, int64_t size, bool logarithm);
  /// `width` slices side by side, whose elements are `stride` floats apart.
  void (*columns)(const float* in, float* out, int64_t size, int64_t stride, int64_t width,
                  bool logarithm);
};

ORTOOL_ISA_KERNEL(SoftmaxFunctions, softmax_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
