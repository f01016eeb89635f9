// GEMV with a transposed matrix for AVX-512: 16 columns per vector, transposed in registers.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::avx512 {
namespace {

constexpr int64_t columns_at_once = 16;
constexpr int64_t steps_at_once = 8;

/// load(i) holds eight steps of column i in its lower half and of column i + 8 in its upper half;
/// transposes them into one vector of 16 columns per step, in the column order 0-3, 8-11, 4-7,
/// 12-15.
inline __attribute__((always_inline)) void transpose(const __m512* in, __m512* out) {
  __m512 four[8];
#pragma GCC unroll 2
  for (int half = 0; half < 8; half += 4) {
    const __m512 t0 = _mm512_unpacklo_ps(in[half], in[half + 1]);
    const __m512 t1 = _mm512_unpackhi_ps(in[half], in[half + 1]);
    const __m512 t2 = _mm512_unpacklo_ps(in[half + 2], in[half + 3]);
    const __m512 t3 = _mm512_unpackhi_ps(in[half + 2], in[half + 3]);
    four[half] = _mm512_shuffle_ps(t0, t2, 0x44);
    four[half + 1] = _mm512_shuffle_ps(t0, t2, 0xEE);
    four[half + 2] = _mm512_shuffle_ps(t1, t3, 0x44);
    four[half + 3] = _mm512_shuffle_ps(t1, t3, 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    out[i] = _mm512_shuffle_f32x4(four[i], four[i + 4], 0x88);
    out[i + 4] = _mm512_shuffle_f32x4(four[i], four[i + 4], 0xDD);
  }
}

/// Converts the column order of `transpose` to the natural one, and back.
inline __m512 reorder(__m512 x) {
  return _mm512_maskz_shuffle_f32x4(0xFFFF, x, x, 0xD8);
}

inline __attribute__((always_inline)) __m512 load_two(const float* low, const float* high,
                                                      __mmask8 mask) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_maskz_loadu_ps(mask, low)),
                            _mm256_maskz_loadu_ps(mask, high), 1);
}

/// Adds up to eight steps from `step` on, for up to 16 columns.
inline __attribute__((always_inline)) __m512 add_last_steps(const float* x, const float* const* b,
                                                            int64_t step, int64_t k, __m512 sum) {
  const int64_t steps = k - step < steps_at_once ? k - step : steps_at_once;
  const auto mask = static_cast<__mmask8>((1U << steps) - 1U);
  __m512 in[8];
  __m512 out[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) in[i] = load_two(b[i] + step, b[i + 8] + step, mask);
  transpose(in, out);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    if (i < steps) sum = _mm512_fmadd_ps(_mm512_set1_ps(x[step + i]), out[i], sum);
  }
  return sum;
}

/// Up to 16 columns; missing ones read the last column and are not stored.
void few_columns(const float* x, const float* b, int64_t b_stride, int64_t columns, int64_t k,
                 float* out) {
  const float* from[16];
  for (int64_t i = 0; i < columns_at_once; ++i)
    from[i] = b + (i < columns ? i : columns - 1) * b_stride;
  __m512 sum = _mm512_setzero_ps();
  for (int64_t step = 0; step < k; step += steps_at_once)
    sum = add_last_steps(x, from, step, k, sum);
  _mm512_mask_storeu_ps(out, static_cast<__mmask16>((1U << columns) - 1U), reorder(sum));
}

/// 16 columns per group, addressed from two pointers of eight columns each.
template <int groups>
void whole_groups(const float* x, const float* b, int64_t b_stride, int64_t k, float* out) {
  const int64_t three = 3 * b_stride;
  const int64_t five = 5 * b_stride;
  const int64_t seven = 7 * b_stride;
  const float* eight[2 * size_t{groups}];
  __m512 sums[size_t{groups}];
#pragma GCC unroll 2
  for (int group = 0; group < groups; ++group) {
    eight[2 * group] = b + 16 * group * b_stride;
    eight[2 * group + 1] = b + (16 * group + 8) * b_stride;
    sums[group] = _mm512_setzero_ps();
  }
  int64_t step = 0;
  for (; step + steps_at_once <= k; step += steps_at_once) {
    __m512 transposed[size_t{groups}][8];
#pragma GCC unroll 2
    for (int group = 0; group < groups; ++group) {
      const float*& low = eight[2 * group];
      const float*& high = eight[2 * group + 1];
      const __m512 in[8] = {load_two(low, high, 0xFF),
                            load_two(low + b_stride, high + b_stride, 0xFF),
                            load_two(low + 2 * b_stride, high + 2 * b_stride, 0xFF),
                            load_two(low + three, high + three, 0xFF),
                            load_two(low + 4 * b_stride, high + 4 * b_stride, 0xFF),
                            load_two(low + five, high + five, 0xFF),
                            load_two(low + 2 * three, high + 2 * three, 0xFF),
                            load_two(low + seven, high + seven, 0xFF)};
      transpose(in, transposed[group]);
      low += steps_at_once;
      high += steps_at_once;
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
#pragma GCC unroll 2
      for (int group = 0; group < groups; ++group) {
        sums[group] =
            _mm512_fmadd_ps(_mm512_set1_ps(x[step + i]), transposed[group][i], sums[group]);
      }
    }
  }
#pragma GCC unroll 2
  for (int group = 0; group < groups; ++group) {
    if (step < k) {
      const float* from[16];
      for (int i = 0; i < 16; ++i) from[i] = b + (16 * group + i) * b_stride;
      sums[group] = add_last_steps(x, from, step, k, sums[group]);
    }
    _mm512_storeu_ps(out + 16 * group, reorder(sums[group]));
  }
}

}  // namespace

void row_transposed(const float* x, const float* b, int64_t b_stride, int64_t columns, int64_t k,
                    float* out) {
  // Columns a multiple of a page apart would conflict in the L1 cache.
  constexpr int64_t page_floats = 1024;
  const bool takes_two = b_stride % page_floats != 0;
  int64_t column = 0;
  for (; takes_two && column + 2 * columns_at_once <= columns; column += 2 * columns_at_once)
    whole_groups<2>(x, b + column * b_stride, b_stride, k, out + column);
  for (; column + columns_at_once <= columns; column += columns_at_once)
    whole_groups<1>(x, b + column * b_stride, b_stride, k, out + column);
  if (column < columns)
    few_columns(x, b + column * b_stride, b_stride, columns - column, k, out + column);
}

}  // namespace ortool::cpu::avx512
