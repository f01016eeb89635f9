// GEMM packing, skinny products and GEMV, one set of functions per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

// See the members of GemmFunctions.
ORTOOL_ISA_FUNCTIONS((baseline, neon, avx2, avx512),
                     void pack_transposed(const float* in, int64_t in_stride, int32_t rows,
                                          int32_t width, int64_t k, float* out, int64_t out_stride);
                     void pack_rows(const float* in, int64_t in_stride, int32_t columns,
                                    int32_t width, int64_t k, float* out);
                     void dot_rows(const float* a, int64_t a_stride, int64_t rows, int64_t k,
                                   const float* x, float* out);
                     void skinny_product(const float* a, int64_t a_row_stride, int64_t a_step,
                                         int32_t rows, const float* b, int64_t b_stride,
                                         int64_t columns, int64_t k, float* out,
                                         int64_t out_stride);
                     void skinny_pair(const float* a, int64_t a_row_stride, int64_t a_step,
                                      int32_t rows, const float* b, int64_t k, float* out,
                                      int64_t out_stride);
                     void row_transposed(const float* x, const float* b, int64_t b_stride,
                                         int64_t columns, int64_t k, float* out);)

}  // namespace ortool::cpu
