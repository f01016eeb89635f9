// GEMM packing and skinny products for AVX2.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::avx2 {
namespace {

inline __m256i first(int64_t count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int64_t limited = count > 8 ? 8 : count;
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(limited)), lanes);
}

inline void transpose(__m256* r) {
  __m256 t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    r[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
    r[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xEE);
    r[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
    r[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
    t[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) r[i] = t[i];
}

/// At most eight rows; see pack_transposed.
void pack_eight(const float* in, int64_t in_stride, int32_t rows, int32_t width, int64_t k,
                float* out, int64_t out_stride) {
  const __m256i last_mask = first(width);
  for (int64_t step = 0; step < k; step += 8) {
    const int64_t steps = k - step < 8 ? k - step : 8;
    __m256 r[8];
    if (steps == 8) {
#pragma GCC unroll 8
      for (int row = 0; row < 8; ++row) {
        r[row] = row < rows ? _mm256_loadu_ps(in + row * in_stride + step) : _mm256_setzero_ps();
      }
    } else {
      const __m256i mask = first(steps);
#pragma GCC unroll 8
      for (int row = 0; row < 8; ++row) {
        r[row] = row < rows ? _mm256_maskload_ps(in + row * in_stride + step, mask)
                            : _mm256_setzero_ps();
      }
    }
    transpose(r);
    float* to = out + step * out_stride;
    // A whole vector may spill into later steps, which are written afterward, but not past the end.
    const bool stays_inside = (step + 7) * out_stride + 8 <= (k - 1) * out_stride + width;
    if (steps == 8 && (width == 8 || (width == out_stride && stays_inside))) {
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) _mm256_storeu_ps(to + i * out_stride, r[i]);
    } else {
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        if (i < steps) _mm256_maskstore_ps(to + i * out_stride, last_mask, r[i]);
      }
    }
  }
}

/// `vectors` vectors of columns; the second half of them starts `half_step` after the first.
template <int rows, int vectors>
inline __attribute__((always_inline)) void skinny_vectors(const float* a, int64_t a_row_stride,
                                                          int64_t a_step, const float* b,
                                                          int64_t b_stride, int64_t half_step,
                                                          int64_t k, float* out,
                                                          int64_t out_stride) {
  constexpr int half = vectors / 2;
  __m256 sums[size_t{rows}][size_t{vectors}];
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sums[row][v] = _mm256_setzero_ps();
  }
  for (int64_t step = 0; step < k; ++step) {
    const float* from = b + step * b_stride;
    __m256 values[size_t{vectors}];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      values[v] = _mm256_loadu_ps(from + (v / half) * half_step + v % half * 8);
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      const __m256 factor = _mm256_broadcast_ss(a + row * a_row_stride + step * a_step);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        sums[row][v] = _mm256_fmadd_ps(factor, values[v], sums[row][v]);
      }
    }
  }
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      _mm256_storeu_ps(out + row * out_stride + v * 8, sums[row][v]);
    }
  }
}

template <int rows>
void skinny_rows(const float* a, int64_t a_row_stride, int64_t a_step, const float* b,
                 int64_t b_stride, int64_t columns, int64_t k, float* out, int64_t out_stride) {
  constexpr int vectors = rows == 1 ? 4 : 2;
  int64_t column = 0;
  for (; column + vectors * 8 <= columns; column += vectors * 8) {
    skinny_vectors<rows, vectors>(a, a_row_stride, a_step, b + column, b_stride, vectors * 4, k,
                                  out + column, out_stride);
  }
  for (; column < columns; column += 8) {
    const __m256i mask = first(columns - column);
    __m256 sums[size_t{rows}];
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) sums[row] = _mm256_setzero_ps();
    for (int64_t step = 0; step < k; ++step) {
      const __m256 value = _mm256_maskload_ps(b + step * b_stride + column, mask);
#pragma GCC unroll 4
      for (int row = 0; row < rows; ++row) {
        const __m256 factor = _mm256_broadcast_ss(a + row * a_row_stride + step * a_step);
        sums[row] = _mm256_fmadd_ps(factor, value, sums[row]);
      }
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      _mm256_maskstore_ps(out + row * out_stride + column, mask, sums[row]);
    }
  }
}

/// Accumulators of more than two rows would not fit the registers; two suffice to hide latency.
template <int rows>
void skinny_panels(const float* a, int64_t a_row_stride, int64_t a_step, const float* b, int64_t k,
                   float* out, int64_t out_stride) {
  constexpr int64_t width = 16;
  if constexpr (rows <= 2) {
    skinny_vectors<rows, 4>(a, a_row_stride, a_step, b, width, width * k, k, out, out_stride);
  } else {
    skinny_vectors<rows, 2>(a, a_row_stride, a_step, b, width, 8, k, out, out_stride);
    skinny_vectors<rows, 2>(a, a_row_stride, a_step, b + width * k, width, 8, k, out + width,
                            out_stride);
  }
}

inline float sum_of(__m256 x) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

}  // namespace

void pack_transposed(const float* in, int64_t in_stride, int32_t rows, int32_t width, int64_t k,
                     float* out, int64_t out_stride) {
  for (int32_t row = 0; row < width; row += 8) {
    const int32_t rows_here = rows - row;
    const int32_t width_here = width - row < 8 ? width - row : 8;
    pack_eight(in + row * in_stride, in_stride, rows_here, width_here, k, out + row, out_stride);
  }
}

void pack_rows(const float* in, int64_t in_stride, int32_t columns, int32_t width, int64_t k,
               float* out) {
  for (int32_t column = 0; column < width; column += 8) {
    const int32_t width_here = width - column < 8 ? width - column : 8;
    if (columns - column >= 8) {
      for (int64_t step = 0; step < k; ++step) {
        _mm256_storeu_ps(out + step * width + column,
                         _mm256_loadu_ps(in + step * in_stride + column));
      }
    } else {
      const __m256i in_mask = first(columns - column);
      const __m256i out_mask = first(width_here);
      for (int64_t step = 0; step < k; ++step) {
        _mm256_maskstore_ps(out + step * width + column, out_mask,
                            _mm256_maskload_ps(in + step * in_stride + column, in_mask));
      }
    }
  }
}

void dot_rows(const float* a, int64_t a_stride, int64_t rows, int64_t k, const float* x,
              float* out) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = a + row * a_stride;
    __m256 sums[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sums[i] = _mm256_setzero_ps();
    int64_t step = 0;
    for (; step + 32 <= k; step += 32) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        sums[i] = _mm256_fmadd_ps(_mm256_loadu_ps(from + step + i * 8),
                                  _mm256_loadu_ps(x + step + i * 8), sums[i]);
      }
    }
    for (; step < k; step += 8) {
      const __m256i mask = first(k - step);
      sums[0] = _mm256_fmadd_ps(_mm256_maskload_ps(from + step, mask),
                                _mm256_maskload_ps(x + step, mask), sums[0]);
    }
    out[row] =
        sum_of(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
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
  switch (rows) {
    case 1:
      return skinny_panels<1>(a, a_row_stride, a_step, b, k, out, out_stride);
    case 2:
      return skinny_panels<2>(a, a_row_stride, a_step, b, k, out, out_stride);
    case 3:
      return skinny_panels<3>(a, a_row_stride, a_step, b, k, out, out_stride);
    default:
      return skinny_panels<4>(a, a_row_stride, a_step, b, k, out, out_stride);
  }
}

}  // namespace ortool::cpu::avx2
