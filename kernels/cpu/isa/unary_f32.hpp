// The vector loops of the functions of one float, one set an instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/unary_op.hpp"

namespace ortool::cpu {

namespace baseline {
/// out[i] = op(in[i]); false when `op` has no vector form (tan and
/// the inverse and hyperbolic functions). `in` may be `out`.
bool unary_float(UnaryOp op, const float* in, float* out, int64_t count, float alpha, float beta);
}  // namespace baseline
namespace avx2 {
bool unary_float(UnaryOp op, const float* in, float* out, int64_t count, float alpha, float beta);
}  // namespace avx2
namespace avx512 {
bool unary_float(UnaryOp op, const float* in, float* out, int64_t count, float alpha, float beta);
}  // namespace avx512

}  // namespace ortool::cpu
