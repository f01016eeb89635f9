// Depthwise 3 × 3 microkernel of NCHW16c images stored in bfloat16 for AVX512-BF16.
#include <immintrin.h>
#include <stddef.h>

#include "kernels/cpu/conv/bf16_nchwc/depthwise.hpp"

#define ORTOOL_ISA bf16
#include "kernels/cpu/conv/f32_nchwc/depthwise_3x3.inc"

namespace ortool::cpu::bf16 {

const Bf16DepthwiseFunctions bf16_depthwise_functions = {
    .widening = run_three<uint16_t, float>,
    .narrowing = run_three<float, uint16_t>,
    .in_bfloat16 = run_three<uint16_t, uint16_t>};

}  // namespace ortool::cpu::bf16
