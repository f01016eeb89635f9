// Unary float32 functions as vector loops, one per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/isa/unary_op.hpp"

namespace ortool::cpu {

/// out[i] = op(in[i]); false if `op` has no vector implementation (tan and the inverse and
/// hyperbolic functions). `in` may be `out`.
using UnaryF32Function = bool (*)(UnaryOp op, const float* in, float* out, int64_t count,
                                  float alpha, float beta);

ORTOOL_ISA_KERNEL(UnaryF32Function, unary_f32_function, baseline, avx2, avx512)

}  // namespace ortool::cpu
