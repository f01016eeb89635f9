// fp16 and bfloat16 arrays from and to float32, a table for each instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// The four directions of one instruction-set level; `in` and `out` must not overlap.
struct Fp16Functions {
  void (*float16_to_float)(const uint16_t* in, float* out, int64_t count);
  void (*float_to_float16)(const float* in, uint16_t* out, int64_t count);
  void (*bfloat16_to_float)(const uint16_t* in, float* out, int64_t count);
  void (*float_to_bfloat16)(const float* in, uint16_t* out, int64_t count);
};

/// The functions of a level that this processor has. Widening is exact; narrowing rounds half to
/// even, too large becomes infinity. Subnormals are kept; NaN stays NaN with its sign and leading
/// payload bits, a signalling one may become quiet. All levels give the same bits otherwise.
ORTOOL_ISA_KERNEL(Fp16Functions, fp16_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
