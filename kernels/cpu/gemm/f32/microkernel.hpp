// Microkernel of the float32 GEMM: tile descriptor, and one function table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// One tile: c = epilogue(a * b), or a partial sum of it if `finish` is 0.
struct GemmTile {
  const float* a;    ///< packed k × rows, one step of k after the other; or unpacked rows
  int64_t a_stride;  ///< 0: a is packed; else the row stride, with steps of k contiguous
  const float* b;    ///< k × b_stride
  int64_t b_stride;  ///< floats between steps of k
  int64_t k;
  float* c;
  int64_t c_stride;
  int32_t rows;              ///< 1 … max_rows of the microkernel
  int32_t columns;           ///< columns to store
  int32_t wide;              ///< 1: b has panel_columns columns, 0: half as many
  int32_t accumulate;        ///< 1: accumulators start from c
  int32_t finish;            ///< 1: apply the epilogue
  const Epilogue* epilogue;  ///< of the whole result; null if `finish` is 0
  const float* added;        ///< the addend at this tile's first row and column
  const float* residual;     ///< at the same place; null: none
  /// Prefetch address; advances by `prefetch_stride` floats with each step of k.
  const float* prefetch;
  int64_t prefetch_stride;
};

/// The functions of one instruction set.
struct GemmFunctions {
  int32_t max_rows;
  int32_t panel_columns;
  /// 1: `tile` stores any number of columns; 0: whole vectors of the panel only.
  int32_t partial_columns;
  void (*tile)(const GemmTile& tile);
  /// out[step * out_stride + row] = in[row * in_stride + step] for row < rows ≤ 16, step < k; the
  /// rest of each step is zeroed up to `width` (≤ out_stride, ≤ 16).
  void (*pack_transposed)(const float* in, int64_t in_stride, int32_t rows, int32_t width,
                          int64_t k, float* out, int64_t out_stride);
  /// out[step * width + column] = in[step * in_stride + column] for column < columns; zeros up to
  /// width.
  void (*pack_rows)(const float* in, int64_t in_stride, int32_t columns, int32_t width, int64_t k,
                    float* out);
  /// out[row] = the sum over k of a[row * a_stride + k] * x[k], in several partial sums; not
  /// bit-identical to the functions below, which accumulate k sequentially.
  void (*dot_rows)(const float* a, int64_t a_stride, int64_t rows, int64_t k, const float* x,
                   float* out);
  /// Applies a transcendental activation (gelu and those after it) to rows of values, in place.
  void (*activate)(Activation activation, float low, float* values, int64_t stride, int64_t rows,
                   int64_t columns);
  /// out[row * out_stride + column] = the sum over k of a[row * a_row_stride + step * a_step] *
  /// b[step * b_stride + column], for rows ≤ 4.
  void (*skinny)(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows, const float* b,
                 int64_t b_stride, int64_t columns, int64_t k, float* out, int64_t out_stride);
  /// The same for two whole panels, each panel_columns wide and consecutive in `b` and `out`:
  /// enough independent accumulators to hide latency.
  void (*skinny_pair)(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows,
                      const float* b, int64_t k, float* out, int64_t out_stride);
  /// `thin` for one row and a transposed b: out[column] = the sum over k of x[step] * b[column *
  /// b_stride + step].
  void (*row_transposed)(const float* x, const float* b, int64_t b_stride, int64_t columns,
                         int64_t k, float* out);
  /// Tiles of a multiple of these rows are the fastest; divides max_rows.
  int32_t row_unit = 1;
};

ORTOOL_ISA_KERNEL(GemmFunctions, gemm_functions, baseline, neon, avx2, avx512)

}  // namespace ortool::cpu
