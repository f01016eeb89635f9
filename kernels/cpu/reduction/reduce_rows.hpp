// Reduction row loops for float32, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// What is summed, in float64: the elements, their magnitudes or their squares.
enum class SumKind : int { plain, magnitudes, squares };

struct ReduceRowFunctions {
  /// out[row] = Σ over the `size` contiguous elements of each row.
  void (*sum_rows)(SumKind kind, const float* in, int64_t rows, int64_t size, double* out);
  /// sums[i] += the contributions of in[row * stride + i], row by row.
  void (*sum_columns)(SumKind kind, const float* in, int64_t rows, int64_t stride, int64_t count,
                      double* sums);
  /// The maximum or minimum of each row; NaN if it contains one.
  void (*extreme_rows)(bool largest, const float* in, int64_t rows, int64_t size, float* out);
  void (*extreme_columns)(bool largest, const float* in, int64_t count, float* extremes);
  /// The index of the first element that is not at most (at least) the threshold, `count` if there
  /// is none; NaN is neither.
  int64_t (*first_beyond)(bool largest, const float* in, int64_t count, float threshold);
};

ORTOOL_ISA_KERNEL(ReduceRowFunctions, reduce_row_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
