// Rotary position embedding of the pairs of one head, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Rotates `pairs` pairs (a, b) to (a cos - b sin, a sin + b cos); `out` may be `in`. The elements
/// of a pair are `pairs` apart (`halves`), or adjacent (`neighbors`).
struct RotaryFunctions {
  void (*halves)(const float* in, const float* cosines, const float* sines, float* out,
                 int64_t pairs);
  void (*interleaved)(const float* in, const float* cosines, const float* sines, float* out,
                      int64_t pairs);
};

ORTOOL_ISA_KERNEL(RotaryFunctions, rotary_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
