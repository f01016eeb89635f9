// Packing for the bfloat16 GEMM, shared by the microkernels.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/bf16_features.hpp"

namespace ortool::cpu {

// See Bf16GemmFunctions.
ORTOOL_ISA_BF16_FUNCTIONS((bf16), void pack_rows(const float* a, int64_t a_stride, int64_t rows,
                                                 int64_t k, uint16_t* out);
                          void pack_columns(const float* b, int64_t b_stride, int64_t columns,
                                            int64_t k, uint16_t* out);
                          void pack_transposed(const float* b, int64_t b_stride, int64_t columns,
                                               int64_t k, uint16_t* out);)

}  // namespace ortool::cpu
