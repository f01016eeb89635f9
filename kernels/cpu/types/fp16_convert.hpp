// fp16 and bfloat16 conversion of arrays to and from float32, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// The four conversions of one instruction set; `in` and `out` must not overlap.
struct Fp16Functions {
  void (*float16_to_float)(const uint16_t* in, float* out, int64_t count);
  void (*float_to_float16)(const float* in, uint16_t* out, int64_t count);
  void (*bfloat16_to_float)(const uint16_t* in, float* out, int64_t count);
  void (*float_to_bfloat16)(const float* in, uint16_t* out, int64_t count);
};

/// The functions of an instruction set that this processor has. Widening is exact; narrowing rounds
/// ties to even, and overflow becomes infinity. Subnormals are preserved; NaN keeps its sign and
/// leading payload bits, but a signaling NaN may become quiet. Otherwise bit-identical on all
/// instruction sets.
ORTOOL_ISA_KERNEL(Fp16Functions, fp16_functions, baseline, neon, avx2, avx512)

}  // namespace ortool::cpu
