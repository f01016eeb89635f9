// Convolution of one plane with a 3x3 or 5x5 kernel for AVX-512: 16 columns by up to 4 rows at a
// time.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/depthwise.hpp"

namespace ortool::cpu::avx512 {
namespace {

inline __mmask16 lanes_between(int64_t begin, int64_t end) {
  const uint32_t low = begin <= 0 ? 0U : (begin >= 16 ? 16U : static_cast<uint32_t>(begin));
  const uint32_t high = end <= 0 ? 0U : (end >= 16 ? 16U : static_cast<uint32_t>(end));
  return high <= low ? __mmask16{0}
                     : static_cast<__mmask16>(((1U << high) - 1U) & ~((1U << low) - 1U));
}

// NaN passes: max and min give their second operand when either is NaN.
inline __m512 activate(__m512 x, const DepthwisePlane& plane) {
  const __m512 zero = _mm512_setzero_ps();
  const __m512 low = _mm512_set1_ps(plane.low);
  const __m512 high = _mm512_set1_ps(plane.high);
  switch (plane.activation) {
    case Activation::relu:
      return _mm512_max_ps(zero, x);
    case Activation::clip:
      return _mm512_min_ps(high, _mm512_max_ps(low, x));
    case Activation::leaky_relu:
      return _mm512_mask_mul_ps(x, _mm512_cmp_ps_mask(x, zero, _CMP_LT_OQ), x, low);
    case Activation::hard_swish: {
      const __m512 gate = _mm512_add_ps(_mm512_mul_ps(x, low), high);
      return _mm512_mul_ps(x, _mm512_max_ps(zero, _mm512_min_ps(_mm512_set1_ps(1.0F), gate)));
    }
    default:
      return x;
  }
}

/// The loads of one block of 16 output columns: vector 0 begins at column `first`, each further one
/// 16 (stride 2) or 1 (stride 1) behind.
template <int kernel, int stride>
struct ColumnLoads {
  static constexpr int count = stride == 1 ? kernel : (kernel + 1) / 2 * 2;
  int64_t offset[size_t{count}];
  __mmask16 mask[size_t{count}];
};

template <int kernel, int stride>
ColumnLoads<kernel, stride> find_loads(const DepthwisePlane& plane, int64_t column) {
  ColumnLoads<kernel, stride> loads;
  for (int i = 0; i < loads.count; ++i) {
    const int64_t shift = stride == 1 ? i : i / 2 * 2 + i % 2 * 16;
    loads.offset[i] = column * stride - plane.column_pad + shift;
    loads.mask[i] = lanes_between(-loads.offset[i], plane.in_columns - loads.offset[i]);
  }
  return loads;
}

/// What the 16 output columns see of one input row at each kernel column.
template <int kernel, int stride>
inline __attribute__((always_inline)) void load_row(const ColumnLoads<kernel, stride>& loads,
                                                    const float* row, __m512* seen) {
  if constexpr (stride == 1) {
#pragma GCC unroll 5
    for (int i = 0; i < kernel; ++i) {
      seen[i] = _mm512_maskz_loadu_ps(loads.mask[i], row + loads.offset[i]);
    }
  } else {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#pragma GCC unroll 3
    for (int i = 0; i < loads.count; i += 2) {
      const __m512 low = _mm512_maskz_loadu_ps(loads.mask[i], row + loads.offset[i]);
      const __m512 high = _mm512_maskz_loadu_ps(loads.mask[i + 1], row + loads.offset[i + 1]);
      seen[i] = _mm512_permutex2var_ps(low, even, high);
      if (i + 1 < kernel) seen[i + 1] = _mm512_permutex2var_ps(low, odd, high);
    }
  }
}

template <int kernel, int stride, int rows>
inline __attribute__((always_inline)) void run_block(const DepthwisePlane& plane,
                                                     const ColumnLoads<kernel, stride>& loads,
                                                     int64_t row, int64_t column, __mmask16 store) {
  __m512 sums[size_t{rows}];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) sums[i] = _mm512_set1_ps(plane.bias);
  const int64_t first = row * stride - plane.row_pad;
#pragma GCC unroll 16
  for (int in_row = 0; in_row < (rows - 1) * stride + kernel; ++in_row) {
    const int64_t y = first + in_row;
    if (y < 0 || y >= plane.in_rows) continue;
    __m512 seen[size_t{kernel + 1}];
    load_row<kernel, stride>(loads, plane.in + y * plane.in_columns, seen);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const int at = in_row - i * stride;
      if (at < 0 || at >= kernel) continue;
#pragma GCC unroll 5
      for (int k = 0; k < kernel; ++k) {
        sums[i] = _mm512_fmadd_ps(_mm512_set1_ps(plane.weights[at * kernel + k]), seen[k], sums[i]);
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
    const int64_t at = (row + i) * plane.out_columns + column;
    if (plane.residual != nullptr) {
      sums[i] = _mm512_add_ps(sums[i], _mm512_maskz_loadu_ps(store, plane.residual + at));
    }
    _mm512_mask_storeu_ps(plane.out + at, store, activate(sums[i], plane));
  }
}

template <int kernel, int stride>
void run_plane(const DepthwisePlane& plane) {
  for (int64_t column = 0; column < plane.out_columns; column += 16) {
    const ColumnLoads<kernel, stride> loads = find_loads<kernel, stride>(plane, column);
    const __mmask16 store = lanes_between(0, plane.out_columns - column);
    int64_t row = plane.row_begin;
    for (; row + 4 <= plane.row_end; row += 4) {
      run_block<kernel, stride, 4>(plane, loads, row, column, store);
    }
    switch (plane.row_end - row) {
      case 1:
        run_block<kernel, stride, 1>(plane, loads, row, column, store);
        break;
      case 2:
        run_block<kernel, stride, 2>(plane, loads, row, column, store);
        break;
      case 3:
        run_block<kernel, stride, 3>(plane, loads, row, column, store);
        break;
      default:
        break;
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

}  // namespace ortool::cpu::avx512
