// Rows of a quantized key/value cache, to and from float32, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Element i has the scale scales[i * scale_step], with a step of 0 or 1. 4-bit elements are two in
/// a byte, the first in the low bits, plus 8; `count` is even for them. Encoding rounds to the
/// nearest, ties to even, and saturates; a scale of 0 gives 0.
struct CacheRowFunctions {
  void (*decode_int8)(const int8_t* in, const float* scales, int64_t scale_step, float* out,
                      int64_t count);
  void (*decode_int4)(const uint8_t* in, const float* scales, int64_t scale_step, float* out,
                      int64_t count);
  void (*encode_int8)(const float* in, const float* scales, int64_t scale_step, int8_t* out,
                      int64_t count);
  void (*encode_int4)(const float* in, const float* scales, int64_t scale_step, uint8_t* out,
                      int64_t count);
};

ORTOOL_ISA_KERNEL(CacheRowFunctions, cache_row_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
