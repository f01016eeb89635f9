// Microkernel of the float32 GEMM: what one call computes, and a table for each instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "libcore/base/activation.hpp"

namespace ortool::cpu {

/// How the added matrix is spread over the result.
enum class Addend : int32_t { none, scalar, per_row, per_column, full };

/// One tile: c = finish(a * b), or a partial sum of it when `finish` is false.
struct GemmTile {
  const float* a;    ///< k × rows, packed: the rows of one step of k are neighbours; or as it lies
  int64_t a_stride;  ///< 0: a is packed; else floats from row to row, steps of k being neighbours
  const float* b;    ///< k × b_stride
  int64_t b_stride;  ///< floats from one step of k to the next
  int64_t k;
  float* c;
  int64_t c_stride;
  int32_t rows;        ///< 1 … max_rows of the variant
  int32_t columns;     ///< columns to store
  int32_t wide;        ///< 1: b has panel_columns columns, 0: half of them
  int32_t accumulate;  ///< 1: the sums start from what c holds
  int32_t finish;      ///< 1: scale, add and activate
  Addend addend;       ///< with `added` at this tile's first row and column
  Activation activation;
  float alpha;
  float beta;
  float low;
  float high;
  const float* added;
  int64_t added_stride;
  const float* residual;  ///< null: none
  int64_t residual_stride;
  /// The line that holds it is brought near, at each step of k one `prefetch_stride` floats on.
  const float* prefetch;
  int64_t prefetch_stride;
};

/// The functions of one instruction-set level.
struct GemmFunctions {
  int32_t max_rows;
  int32_t panel_columns;
  /// 1: `tile` stores any number of columns; 0: only whole vectors of the panel.
  int32_t partial_columns;
  void (*tile)(const GemmTile& tile);
  /// out[step * out_stride + row] = in[row * in_stride + step] for row < rows ≤ 16, step < k; up to
  /// `width` (≤ out_stride, ≤ 16) the rest of each step is set to zero.
  void (*pack_transposed)(const float* in, int64_t in_stride, int32_t rows, int32_t width,
                          int64_t k, float* out, int64_t out_stride);
  /// out[step * width + column] = in[step * in_stride + column] for column < columns, zero up to
  /// width.
  void (*pack_rows)(const float* in, int64_t in_stride, int32_t columns, int32_t width, int64_t k,
                    float* out);
  /// out[row] = the sum over k of a[row * a_stride + k] * x[k], in several partial sums: other bits
  /// than those of the functions below, which all add one step of k after the other.
  void (*dot_rows)(const float* a, int64_t a_stride, int64_t rows, int64_t k, const float* x,
                   float* out);
  /// Applies a function (gelu and those behind it) to rows of values, in place.
  void (*activate)(Activation activation, float low, float* values, int64_t stride, int64_t rows,
                   int64_t columns);
  /// out[row * out_stride + column] = the sum over k of a[row * a_row_stride + step * a_step] *
  /// b[step * b_stride + column], for rows ≤ 4.
  void (*thin)(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows, const float* b,
               int64_t b_stride, int64_t columns, int64_t k, float* out, int64_t out_stride);
  /// The same for two whole panels, each panel_columns wide, one behind the other in `b` and `out`:
  /// enough sums at a time to hide how long one takes.
  void (*skinny_pair)(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows,
                      const float* b, int64_t k, float* out, int64_t out_stride);
  /// `thin` for one row and a b that lies transposed: out[column] = the sum over k of x[step] *
  /// b[column * b_stride + step].
  void (*row_transposed)(const float* x, const float* b, int64_t b_stride, int64_t columns,
                         int64_t k, float* out);
};

ORTOOL_ISA_KERNEL(GemmFunctions, gemm_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
