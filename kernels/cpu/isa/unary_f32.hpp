// Unary functions of float32 as vector loops, one for each instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/isa/unary_op.hpp"

namespace ortool::cpu {

/// out[i] = op(in[i]); false when `op` has no vector form (tan and the inverse and hyperbolic
/// functions). `in` may be `out`.
using UnaryF32Function = bool (*)(UnaryOp op, const float* in, float* out, int64_t count,
                                  float alpha, float beta);

ORTOOL_ISA_KERNEL(UnaryF32Function, unary_f32_function, baseline, avx2, avx512)

}  // namespace ortool::cpu
