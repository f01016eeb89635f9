// Microkernel of the bfloat16 GEMM: packed operands, and one function table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/bf16_features.hpp"

namespace ortool::cpu {

/// Values along k per step; rows of a block of a; columns of a panel of b.
constexpr int64_t bf16_step = 32;
constexpr int64_t bf16_block_rows = 16;
constexpr int64_t bf16_panel_columns = 16;
/// Values per step of a block of a (16 rows × 32) and of a panel of b (16 pairs × 16 columns × 2).
constexpr int64_t bf16_step_values = 512;

/// Steps that k values take; the last is padded with zeros.
constexpr int64_t bf16_steps(int64_t k) {
  return (k + bf16_step - 1) / bf16_step;
}

/// A part of a product: rows [row_begin, row_end) by panels [panel_begin, panel_end).
struct Bf16Product {
  const uint16_t* a;  ///< blocks of 16 rows, each step by step
  const uint16_t* b;  ///< panels of 16 columns, each step by step
  int64_t steps;
  int64_t row_begin;  ///< a multiple of 16
  int64_t row_end;
  int64_t panel_begin;
  int64_t panel_end;
  int64_t prefetched_panels;  ///< panels before this may be prefetched
  int64_t columns;            ///< of the whole result
  float* c;         ///< of the whole result
  int64_t c_stride;
  const Epilogue* epilogue;  ///< of the whole result
};

struct Bf16GemmFunctions {
  /// Rounds up to 16 rows to bfloat16, ties to even, into a block; missing rows are zero.
  void (*pack_rows)(const float* a, int64_t a_stride, int64_t rows, int64_t k, uint16_t* out);
  /// Rounds up to 16 columns of b (k × columns) into a panel; missing columns are zero.
  void (*pack_columns)(const float* b, int64_t b_stride, int64_t columns, int64_t k, uint16_t* out);
  /// The same for a transposed b (columns × k).
  void (*pack_transposed)(const float* b, int64_t b_stride, int64_t columns, int64_t k,
                          uint16_t* out);
  /// Sums run over k in order for any partition. Subnormal operands count as zero.
  void (*multiply)(const Bf16Product& product);
  /// Multiplies registers, `rounds` times flops_per_round operations, to measure the peak rate.
  /// Returns a sum, so that the work is not optimized away.
  float (*multiply_registers)(int64_t rounds);
  double flops_per_round;
};

ORTOOL_ISA_BF16_KERNEL_OR_NULL(Bf16GemmFunctions, bf16_gemm_functions, bf16, amxbf16)

}  // namespace ortool::cpu
