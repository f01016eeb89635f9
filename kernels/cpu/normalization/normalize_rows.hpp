// Normalization row loops for float32, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

struct Moments {
  float mean;
  float variance;  ///< mean of the squared differences from the mean; nonnegative
};

/// Two-level sums: blocks of 2048 elements in float32 vectors, across blocks in float64; the
/// variance comes from a second pass over the differences.
struct NormalizeFunctions {
  Moments (*moments)(const float* in, int64_t size);
  float (*mean_of_squares)(const float* in, int64_t size);
  /// out = (in - offset) · factor + bias.
  void (*affine_row)(const float* in, float* out, int64_t size, float offset, float factor,
                     float bias);
  /// out[i] = (in[i] - offset) · factor · scale[i] + bias[i]; bias may be null.
  void (*scaled_row)(const float* in, float* out, int64_t size, float offset, float factor,
                     const float* scale, const float* bias);
  /// out = a + b (+ c if not null).
  void (*add_rows)(const float* a, const float* b, const float* c, float* out, int64_t size);
};

ORTOOL_ISA_KERNEL(NormalizeFunctions, normalize_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
