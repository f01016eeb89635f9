// Convolution of one plane with a 3x3 or 5x5 kernel for AVX2: 8 columns by up to 4 rows at a time.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/depthwise.hpp"

namespace ortool::cpu::avx2 {
namespace {

inline __m256i lanes_between(int64_t begin, int64_t end) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int32_t low = begin <= 0 ? 0 : (begin >= 8 ? 8 : static_cast<int32_t>(begin));
  const int32_t high = end <= 0 ? 0 : (end >= 8 ? 8 : static_cast<int32_t>(end));
  return _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(high), lanes),
                          _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(low - 1)));
}

// NaN passes: max and min give their second operand when either is NaN.
inline __m256 activate(__m256 x, const DepthwisePlane& plane) {
  const __m256 zero = _mm256_setzero_ps();
  const __m256 low = _mm256_set1_ps(plane.low);
  const __m256 high = _mm256_set1_ps(plane.high);
  switch (plane.activation) {
    case Activation::relu:
      return _mm256_max_ps(zero, x);
    case Activation::clip:
      return _mm256_min_ps(high, _mm256_max_ps(low, x));
    case Activation::leaky_relu:
      return _mm256_blendv_ps(x, _mm256_mul_ps(x, low), _mm256_cmp_ps(x, zero, _CMP_LT_OQ));
    case Activation::hard_swish: {
      const __m256 gate = _mm256_add_ps(_mm256_mul_ps(x, low), high);
      return _mm256_mul_ps(x, _mm256_max_ps(zero, _mm256_min_ps(_mm256_set1_ps(1.0F), gate)));
    }
    default:
      return x;
  }
}

/// The loads of one block of 8 output columns: pairs of neighbours at stride 2, one a kernel column
/// at stride 1.
template <int kernel, int stride>
struct ColumnLoads {
  static constexpr int count = stride == 1 ? kernel : (kernel + 1) / 2 * 2;
  int64_t offset[size_t{count}];
  __m256i mask[size_t{count}];
};

template <int kernel, int stride>
ColumnLoads<kernel, stride> find_loads(const DepthwisePlane& plane, int64_t column) {
  ColumnLoads<kernel, stride> loads;
  for (int i = 0; i < loads.count; ++i) {
    const int64_t shift = stride == 1 ? i : i / 2 * 2 + i % 2 * 8;
    loads.offset[i] = column * stride - plane.column_pad + shift;
    loads.mask[i] = lanes_between(-loads.offset[i], plane.in_columns - loads.offset[i]);
  }
  return loads;
}

inline __m256 load(const float* from, __m256i mask, bool whole) {
  return whole ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask);
}

/// Every second of 16 floats, from the first or the second on.
template <int choice>
inline __m256 every_second(__m256 low, __m256 high) {
  const __m256 mixed = _mm256_shuffle_ps(low, high, choice);
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(mixed), 0xD8));
}

/// What the 8 output columns see of one input row at each kernel column.
template <int kernel, int stride, bool whole>
inline __attribute__((always_inline)) void load_row(const ColumnLoads<kernel, stride>& loads,
                                                    const float* row, __m256* seen) {
  if constexpr (stride == 1) {
#pragma GCC unroll 5
    for (int i = 0; i < kernel; ++i) seen[i] = load(row + loads.offset[i], loads.mask[i], whole);
  } else {
#pragma GCC unroll 3
    for (int i = 0; i < loads.count; i += 2) {
      const __m256 low = load(row + loads.offset[i], loads.mask[i], whole);
      const __m256 high = load(row + loads.offset[i + 1], loads.mask[i + 1], whole);
      seen[i] = every_second<0x88>(low, high);
      if (i + 1 < kernel) seen[i + 1] = every_second<0xDD>(low, high);
    }
  }
}

template <int kernel, int stride, int rows, bool whole>
void run_block(const DepthwisePlane& plane, const ColumnLoads<kernel, stride>& loads, int64_t row,
               int64_t column) {
  __m256 sums[size_t{rows}];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) sums[i] = _mm256_set1_ps(plane.bias);
  const int64_t first = row * stride - plane.row_pad;
#pragma GCC unroll 16
  for (int in_row = 0; in_row < (rows - 1) * stride + kernel; ++in_row) {
    const int64_t y = first + in_row;
    if (y < 0 || y >= plane.in_rows) continue;
    __m256 seen[size_t{kernel + 1}];
    load_row<kernel, stride, whole>(loads, plane.in + y * plane.in_columns, seen);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const int at = in_row - i * stride;
      if (at < 0 || at >= kernel) continue;
#pragma GCC unroll 5
      for (int k = 0; k < kernel; ++k) {
        sums[i] =
            _mm256_fmadd_ps(_mm256_broadcast_ss(plane.weights + at * kernel + k), seen[k], sums[i]);
      }
    }
  }
  const __m256i store = lanes_between(0, plane.out_columns - column);
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
    const int64_t at = (row + i) * plane.out_columns + column;
    if (plane.residual != nullptr) {
      sums[i] = _mm256_add_ps(sums[i], _mm256_maskload_ps(plane.residual + at, store));
    }
    const __m256 value = activate(sums[i], plane);
    if (whole) {
      _mm256_storeu_ps(plane.out + at, value);
    } else {
      _mm256_maskstore_ps(plane.out + at, store, value);
    }
  }
}

template <int kernel, int stride, bool whole>
void run_columns(const DepthwisePlane& plane, int64_t column) {
  const ColumnLoads<kernel, stride> loads = find_loads<kernel, stride>(plane, column);
  int64_t row = plane.row_begin;
  for (; row + 4 <= plane.row_end; row += 4) {
    run_block<kernel, stride, 4, whole>(plane, loads, row, column);
  }
  for (; row < plane.row_end; ++row) {
    run_block<kernel, stride, 1, whole>(plane, loads, row, column);
  }
}

template <int kernel, int stride>
void run_plane(const DepthwisePlane& plane) {
  constexpr int64_t reach = stride == 1 ? kernel + 7 : (kernel + 1) / 2 * 2 + 14;
  for (int64_t column = 0; column < plane.out_columns; column += 8) {
    const int64_t first = column * stride - plane.column_pad;
    const bool whole =
        first >= 0 && first + reach <= plane.in_columns && column + 8 <= plane.out_columns;
    if (whole) {
      run_columns<kernel, stride, true>(plane, column);
    } else {
      run_columns<kernel, stride, false>(plane, column);
    }
  }
}

}  // namespace

int32_t depthwise_plane(const DepthwisePlane& plane) {
  if (plane.row_dilation != 1 || plane.column_dilation != 1 ||
      plane.kernel_rows != plane.kernel_columns || plane.row_stride != plane.column_stride) {
    return 0;
  }
  if (plane.kernel_rows == 3 && plane.row_stride == 1) {
    run_plane<3, 1>(plane);
  } else if (plane.kernel_rows == 3 && plane.row_stride == 2) {
    run_plane<3, 2>(plane);
  } else if (plane.kernel_rows == 5 && plane.row_stride == 1) {
    run_plane<5, 1>(plane);
  } else if (plane.kernel_rows == 5 && plane.row_stride == 2) {
    run_plane<5, 2>(plane);
  } else {
    return 0;
  }
  return 1;
}

}  // namespace ortool::cpu::avx2
