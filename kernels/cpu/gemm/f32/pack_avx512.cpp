// GEMM packing and skinny products for AVX-512.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::avx512 {
namespace {

inline __mmask16 first(int64_t count) {
  if (count >= 16) return 0xFFFF;
  return count <= 0 ? __mmask16{0} : static_cast<__mmask16>((1U << count) - 1U);
}

inline void transpose(__m512* r) {
  __m512 t[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512d a = _mm512_castps_pd(t[4 * i]);
    const __m512d b = _mm512_castps_pd(t[4 * i + 1]);
    const __m512d c = _mm512_castps_pd(t[4 * i + 2]);
    const __m512d d = _mm512_castps_pd(t[4 * i + 3]);
    r[4 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    r[4 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    r[4 * i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    r[4 * i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xDD);
    t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xDD);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xDD);
    r[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xDD);
  }
}

/// 64 columns; the second 32 start `half_step` after the first.
template <int rows>
inline __attribute__((always_inline)) void skinny_four(const float* a, int64_t a_row_stride,
                                                       int64_t a_step, const float* b,
                                                       int64_t b_stride, int64_t half_step,
                                                       int64_t k, float* out, int64_t out_stride) {
  __m512 sums[size_t{rows}][4];
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) sums[row][v] = _mm512_setzero_ps();
  }
  for (int64_t step = 0; step < k; ++step) {
    const float* from = b + step * b_stride;
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m512 value = _mm512_loadu_ps(from + (v / 2) * half_step + v % 2 * 16);
#pragma GCC unroll 4
      for (int row = 0; row < rows; ++row) {
        sums[row][v] = _mm512_fmadd_ps(_mm512_set1_ps(a[row * a_row_stride + step * a_step]), value,
                                       sums[row][v]);
      }
    }
  }
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) _mm512_storeu_ps(out + row * out_stride + v * 16, sums[row][v]);
  }
}

template <int rows>
void skinny_rows(const float* a, int64_t a_row_stride, int64_t a_step, const float* b,
                 int64_t b_stride, int64_t columns, int64_t k, float* out, int64_t out_stride) {
  int64_t column = 0;
  for (; column + 64 <= columns; column += 64) {
    skinny_four<rows>(a, a_row_stride, a_step, b + column, b_stride, 32, k, out + column,
                      out_stride);
  }
  for (; column < columns; column += 32) {
    const __mmask16 low = first(columns - column);
    const __mmask16 high = first(columns - column - 16);
    __m512 sums[size_t{rows}][2];
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) sums[row][0] = sums[row][1] = _mm512_setzero_ps();
    for (int64_t step = 0; step < k; ++step) {
      const float* from = b + step * b_stride + column;
      const __m512 value0 = _mm512_maskz_loadu_ps(low, from);
      const __m512 value1 = _mm512_maskz_loadu_ps(high, from + 16);
#pragma GCC unroll 4
      for (int row = 0; row < rows; ++row) {
        const __m512 factor = _mm512_set1_ps(a[row * a_row_stride + step * a_step]);
        sums[row][0] = _mm512_fmadd_ps(factor, value0, sums[row][0]);
        sums[row][1] = _mm512_fmadd_ps(factor, value1, sums[row][1]);
      }
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      _mm512_mask_storeu_ps(out + row * out_stride + column, low, sums[row][0]);
      _mm512_mask_storeu_ps(out + row * out_stride + column + 16, high, sums[row][1]);
    }
  }
}

}  // namespace

void pack_transposed(const float* in, int64_t in_stride, int32_t rows, int32_t width, int64_t k,
                     float* out, int64_t out_stride) {
  const __mmask16 last_mask = first(width);
  for (int64_t step = 0; step < k; step += 16) {
    const int64_t steps = k - step < 16 ? k - step : 16;
    const __mmask16 load_mask = first(steps);
    __m512 r[16];
#pragma GCC unroll 16
    for (int row = 0; row < 16; ++row) {
      r[row] =
          _mm512_maskz_loadu_ps(row < rows ? load_mask : __mmask16{0}, in + row * in_stride + step);
    }
    transpose(r);
    float* to = out + step * out_stride;
    // A whole vector may spill into later steps, which are written afterward, but not past the end.
    const bool stays_inside = (step + 15) * out_stride + 16 <= (k - 1) * out_stride + width;
    if (steps == 16 && (width == 16 || (width == out_stride && stays_inside))) {
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) _mm512_storeu_ps(to + i * out_stride, r[i]);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) {
        if (i < steps) _mm512_mask_storeu_ps(to + i * out_stride, last_mask, r[i]);
      }
    }
  }
}

void pack_rows(const float* in, int64_t in_stride, int32_t columns, int32_t width, int64_t k,
               float* out) {
  const __mmask16 in0 = first(columns);
  const __mmask16 in1 = first(columns - 16);
  const __mmask16 out0 = first(width);
  const __mmask16 out1 = first(width - 16);
  if (width <= 16) {
    for (int64_t step = 0; step < k; ++step) {
      _mm512_mask_storeu_ps(out + step * width, out0,
                            _mm512_maskz_loadu_ps(in0, in + step * in_stride));
    }
    return;
  }
  for (int64_t step = 0; step < k; ++step) {
    const float* from = in + step * in_stride;
    _mm512_mask_storeu_ps(out + step * width, out0, _mm512_maskz_loadu_ps(in0, from));
    _mm512_mask_storeu_ps(out + step * width + 16, out1, _mm512_maskz_loadu_ps(in1, from + 16));
  }
}

void dot_rows(const float* a, int64_t a_stride, int64_t rows, int64_t k, const float* x,
              float* out) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = a + row * a_stride;
    __m512 sums[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sums[i] = _mm512_setzero_ps();
    int64_t step = 0;
    for (; step + 64 <= k; step += 64) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        sums[i] = _mm512_fmadd_ps(_mm512_loadu_ps(from + step + i * 16),
                                  _mm512_loadu_ps(x + step + i * 16), sums[i]);
      }
    }
    for (; step < k; step += 16) {
      const __mmask16 mask = first(k - step);
      sums[0] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, from + step),
                                _mm512_maskz_loadu_ps(mask, x + step), sums[0]);
    }
    out[row] = _mm512_reduce_add_ps(
        _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
  }
}

void skinny_product(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows,
                    const float* b, int64_t b_stride, int64_t columns, int64_t k, float* out,
                    int64_t out_stride) {
  switch (rows) {
    case 1:
      return skinny_rows<1>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
    case 2:
      return skinny_rows<2>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
    case 3:
      return skinny_rows<3>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
    default:
      return skinny_rows<4>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
  }
}

void skinny_pair(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows, const float* b,
                 int64_t k, float* out, int64_t out_stride) {
  constexpr int64_t width = 32;
  switch (rows) {
    case 1:
      return skinny_four<1>(a, a_row_stride, a_step, b, width, width * k, k, out, out_stride);
    case 2:
      return skinny_four<2>(a, a_row_stride, a_step, b, width, width * k, k, out, out_stride);
    case 3:
      return skinny_four<3>(a, a_row_stride, a_step, b, width, width * k, k, out, out_stride);
    default:
      return skinny_four<4>(a, a_row_stride, a_step, b, width, width * k, k, out, out_stride);
  }
}

}  // namespace ortool::cpu::avx512
