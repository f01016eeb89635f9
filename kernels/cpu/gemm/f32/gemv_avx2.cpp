// GEMV with a transposed matrix for AVX2: 8 columns per vector, transposed in registers.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::avx2 {
namespace {

constexpr int64_t columns_at_once = 8;
constexpr int64_t steps_at_once = 4;

/// in[i] holds four steps of column i in its lower half and of column i + 4 in its upper half;
/// transposes them into one vector of eight columns per step.
inline __attribute__((always_inline)) void transpose(const __m256* in, __m256* out) {
  const __m256 t0 = _mm256_unpacklo_ps(in[0], in[1]);
  const __m256 t1 = _mm256_unpackhi_ps(in[0], in[1]);
  const __m256 t2 = _mm256_unpacklo_ps(in[2], in[3]);
  const __m256 t3 = _mm256_unpackhi_ps(in[2], in[3]);
  out[0] = _mm256_shuffle_ps(t0, t2, 0x44);
  out[1] = _mm256_shuffle_ps(t0, t2, 0xEE);
  out[2] = _mm256_shuffle_ps(t1, t3, 0x44);
  out[3] = _mm256_shuffle_ps(t1, t3, 0xEE);
}

inline __attribute__((always_inline)) __m256 load_two(const float* low, const float* high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

/// Adds the remaining steps from `step` on one by one.
inline __attribute__((always_inline)) __m256 add_last_steps(const float* x, const float* const* b,
                                                            int64_t step, int64_t k, __m256 sum) {
  for (; step < k; ++step) {
    const __m256 column = _mm256_setr_ps(b[0][step], b[1][step], b[2][step], b[3][step], b[4][step],
                                         b[5][step], b[6][step], b[7][step]);
    sum = _mm256_fmadd_ps(_mm256_broadcast_ss(x + step), column, sum);
  }
  return sum;
}

inline __attribute__((always_inline)) __m256 add_steps(const float* x, const __m256* in,
                                                       __m256 sum) {
  __m256 transposed[4];
  transpose(in, transposed);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) sum = _mm256_fmadd_ps(_mm256_broadcast_ss(x + i), transposed[i], sum);
  return sum;
}

/// Up to eight columns; missing ones read the last column and are not stored.
void few_columns(const float* x, const float* b, int64_t b_stride, int64_t columns, int64_t k,
                 float* out) {
  const float* from[8];
  for (int64_t i = 0; i < columns_at_once; ++i)
    from[i] = b + (i < columns ? i : columns - 1) * b_stride;
  __m256 sum = _mm256_setzero_ps();
  int64_t step = 0;
  for (; step + steps_at_once <= k; step += steps_at_once) {
    __m256 in[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) in[i] = load_two(from[i] + step, from[i + 4] + step);
    sum = add_steps(x + step, in, sum);
  }
  sum = add_last_steps(x, from, step, k, sum);
  float sums[8];
  _mm256_storeu_ps(sums, sum);
  for (int64_t i = 0; i < columns; ++i) out[i] = sums[i];
}

/// Eight columns per group, addressed from two pointers of four columns each.
template <int groups>
void whole_groups(const float* x, const float* b, int64_t b_stride, int64_t k, float* out) {
  const int64_t three = 3 * b_stride;
  const float* four[2 * size_t{groups}];
  __m256 sums[size_t{groups}];
#pragma GCC unroll 2
  for (int group = 0; group < groups; ++group) {
    four[2 * group] = b + 8 * group * b_stride;
    four[2 * group + 1] = b + (8 * group + 4) * b_stride;
    sums[group] = _mm256_setzero_ps();
  }
  int64_t step = 0;
  for (; step + steps_at_once <= k; step += steps_at_once) {
#pragma GCC unroll 2
    for (int group = 0; group < groups; ++group) {
      const float*& low = four[2 * group];
      const float*& high = four[2 * group + 1];
      const __m256 in[4] = {load_two(low, high), load_two(low + b_stride, high + b_stride),
                            load_two(low + 2 * b_stride, high + 2 * b_stride),
                            load_two(low + three, high + three)};
      sums[group] = add_steps(x + step, in, sums[group]);
      low += steps_at_once;
      high += steps_at_once;
    }
  }
#pragma GCC unroll 2
  for (int group = 0; group < groups; ++group) {
    const float* from[8];
    for (int i = 0; i < 8; ++i) from[i] = b + (8 * group + i) * b_stride;
    _mm256_storeu_ps(out + 8 * group, add_last_steps(x, from, step, k, sums[group]));
  }
}

}  // namespace

void row_transposed(const float* x, const float* b, int64_t b_stride, int64_t columns, int64_t k,
                    float* out) {
  int64_t column = 0;
  for (; column + 2 * columns_at_once <= columns; column += 2 * columns_at_once)
    whole_groups<2>(x, b + column * b_stride, b_stride, k, out + column);
  for (; column + columns_at_once <= columns; column += columns_at_once)
    whole_groups<1>(x, b + column * b_stride, b_stride, k, out + column);
  if (column < columns)
    few_columns(x, b + column * b_stride, b_stride, columns - column, k, out + column);
}

}  // namespace ortool::cpu::avx2
