// The loops of reductions over floats, one set an instruction set.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

/// What is summed up, in float64: the elements, their magnitudes or their squares.
enum class SumKind : int { plain, magnitudes, squares };

namespace baseline {
/// out[row] = Σ over the `size` neighbouring elements of each row.
void sum_rows(SumKind kind, const float* in, int64_t rows, int64_t size, double* out);
/// sums[i] += what in[i] counts.
void sum_columns(SumKind kind, const float* in, int64_t count, double* sums);
/// The largest or smallest element of each row, NaN where there is one.
void extreme_rows(bool largest, const float* in, int64_t rows, int64_t size, float* out);
void extreme_columns(bool largest, const float* in, int64_t count, float* extremes);
}  // namespace baseline
namespace avx2 {
void sum_rows(SumKind kind, const float* in, int64_t rows, int64_t size, double* out);
void sum_columns(SumKind kind, const float* in, int64_t count, double* sums);
void extreme_rows(bool largest, const float* in, int64_t rows, int64_t size, float* out);
void extreme_columns(bool largest, const float* in, int64_t count, float* extremes);
}  // namespace avx2
namespace avx512 {
void sum_rows(SumKind kind, const float* in, int64_t rows, int64_t size, double* out);
void sum_columns(SumKind kind, const float* in, int64_t count, double* sums);
void extreme_rows(bool largest, const float* in, int64_t rows, int64_t size, float* out);
void extreme_columns(bool largest, const float* in, int64_t count, float* extremes);
}  // namespace avx512

}  // namespace ortool::cpu
