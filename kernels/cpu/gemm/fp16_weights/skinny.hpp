// Products of up to six rows by weights in float16 or bfloat16, widened in registers.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

constexpr int32_t max_fp16_skinny_rows = 6;

/// Column panels as GemmFunctions packs them, but of 16 bits.
struct Fp16SkinnyProduct {
  const float* a;
  int64_t a_row_stride;
  int64_t a_step;
  int32_t rows;  ///< 1 to max_fp16_skinny_rows
  const uint16_t* b;
  int64_t k;
  float* out;
  int64_t out_stride;
};

/// Sums run over k in order, each product added as GemmFunctions::skinny adds it: the same bits as
/// with the weights in float32.
struct Fp16SkinnyFunctions {
  /// Two whole panels, consecutive in `b` and `out`.
  void (*pair_float16)(const Fp16SkinnyProduct& product);
  void (*pair_bfloat16)(const Fp16SkinnyProduct& product);
  /// `columns` of one panel that stores `stored`, whole vectors.
  void (*single_float16)(const Fp16SkinnyProduct& product, int64_t stored, int64_t columns);
  void (*single_bfloat16)(const Fp16SkinnyProduct& product, int64_t stored, int64_t columns);
};

ORTOOL_ISA_KERNEL_OR_NULL(Fp16SkinnyFunctions, fp16_skinny_functions, avx2, avx512)

}  // namespace ortool::cpu
