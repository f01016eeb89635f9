// Peak rates of bfloat16 and float32 multiplication, measured on the spot.
#pragma once

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

/// Billions of operations a second of one thread in registers, a multiplication and an addition
/// counting as two, in the best of a few rounds of some microseconds. has_bf16_gemm(isa) must hold.
double bf16_peak_gflops(Isa isa);

/// Whether this processor multiplies bfloat16 at least one and a half times as fast as float32.
/// Measured once per process; the ratio is a half, two, or eight and more, so noise does not
/// decide. False where it does not multiply bfloat16 at all.
bool gains_from_bf16(Isa isa);

}  // namespace ortool::cpu
