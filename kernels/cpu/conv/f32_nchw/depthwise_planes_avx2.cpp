// Depthwise convolution with 3x3 or 5x5 kernels for AVX2: 8 columns by up to 4 rows at a time.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define ORTOOL_ISA avx2
#include "kernels/cpu/conv/f32_nchw/depthwise_plane_dispatch.inc"

namespace ortool::cpu::avx2 {
namespace {

inline __m256i lanes_between(int64_t begin, int64_t end) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int32_t low = begin <= 0 ? 0 : (begin >= 8 ? 8 : static_cast<int32_t>(begin));
  const int32_t high = end <= 0 ? 0 : (end >= 8 ? 8 : static_cast<int32_t>(end));
  return _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(high), lanes),
                          _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(low - 1)));
}

// Propagates NaN: max and min return their second operand if either is NaN.
inline __m256 activate(__m256 x, const EpilogueTile& epilogue) {
  const __m256 zero = _mm256_setzero_ps();
  const __m256 low = _mm256_set1_ps(epilogue.low);
  const __m256 high = _mm256_set1_ps(epilogue.high);
  switch (epilogue.activation) {
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

/// The loads for a block of 8 output columns: pairs of adjacent vectors at stride 2, one per kernel
/// column at stride 1.
template <int kernel, int stride>
struct ColumnLoads {
  static constexpr int count = stride == 1 ? kernel : (kernel + 1) / 2 * 2;
  int64_t offset[size_t{count}];
  __m256i mask[size_t{count}];
};

template <int kernel, int stride>
ColumnLoads<kernel, stride> find_loads(const DepthwisePlanes& planes, int64_t column) {
  ColumnLoads<kernel, stride> loads;
  for (int i = 0; i < loads.count; ++i) {
    const int64_t shift = stride == 1 ? i : i / 2 * 2 + i % 2 * 8;
    loads.offset[i] = column * stride - planes.column_pad + shift;
    loads.mask[i] = lanes_between(-loads.offset[i], planes.in_columns - loads.offset[i]);
  }
  return loads;
}

inline __m256 load(const float* from, __m256i mask, bool whole) {
  return whole ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask);
}

/// Every second one of 16 floats, starting with the first or the second.
template <int choice>
inline __m256 every_second(__m256 low, __m256 high) {
  const __m256 mixed = _mm256_shuffle_ps(low, high, choice);
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(mixed), 0xD8));
}

/// The inputs that the 8 output columns read from one input row, for each kernel column.
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
void run_block(const DepthwisePlanes& planes, const Plane& plane,
               const ColumnLoads<kernel, stride>& loads, int64_t row, int64_t column) {
  __m256 sums[size_t{rows}];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) sums[i] = _mm256_setzero_ps();
  const int64_t first = row * stride - planes.row_pad;
#pragma GCC unroll 16
  for (int in_row = 0; in_row < (rows - 1) * stride + kernel; ++in_row) {
    const int64_t y = first + in_row;
    if (y < 0 || y >= planes.in_rows) continue;
    __m256 seen[size_t{kernel + 1}];
    load_row<kernel, stride, whole>(loads, plane.in + y * planes.in_columns, seen);
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
  const __m256i store = lanes_between(0, planes.out_columns - column);
  const __m256 bias = _mm256_set1_ps(plane.bias);
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
    const int64_t at = (row + i) * planes.out_columns + column;
    sums[i] = _mm256_add_ps(sums[i], bias);
    if (plane.residual != nullptr) {
      sums[i] = _mm256_add_ps(sums[i], _mm256_maskload_ps(plane.residual + at, store));
    }
    const __m256 value = activate(sums[i], planes.epilogue);
    if (whole) {
      _mm256_storeu_ps(plane.out + at, value);
    } else {
      _mm256_maskstore_ps(plane.out + at, store, value);
    }
  }
}

/// Whether all loads and stores of the 8 columns from `column` on stay inside the row.
template <int kernel, int stride>
bool is_whole(const DepthwisePlanes& planes, int64_t column) {
  constexpr int64_t reach = stride == 1 ? kernel + 7 : (kernel + 1) / 2 * 2 + 14;
  const int64_t first = column * stride - planes.column_pad;
  return first >= 0 && first + reach <= planes.in_columns && column + 8 <= planes.out_columns;
}

template <int kernel, int stride>
void run_planes(const DepthwisePlanes& planes) {
  constexpr int64_t max_vectors = 16;
  // Wide images are processed in strips, so that the loads are set up once per strip.
  for (int64_t strip = 0; strip < planes.out_columns; strip += max_vectors * 8) {
    ColumnLoads<kernel, stride> loads[max_vectors];
    int64_t vectors = 0;
    for (int64_t column = strip; column < planes.out_columns && vectors < max_vectors;
         column += 8) {
      loads[vectors++] = find_loads<kernel, stride>(planes, column);
    }
    for (int64_t index = 0; index < planes.planes; ++index) {
      const Plane plane = plane_at(planes, index);
      int64_t rows = 4;
      for (int64_t row = planes.row_begin; row < planes.row_end; row += rows) {
        rows = planes.row_end - row < 4 ? 1 : 4;
        for (int64_t v = 0; v < vectors; ++v) {
          const int64_t column = strip + v * 8;
          const bool whole = is_whole<kernel, stride>(planes, column);
          if (rows == 4 && whole) {
            run_block<kernel, stride, 4, true>(planes, plane, loads[v], row, column);
          } else if (rows == 4) {
            run_block<kernel, stride, 4, false>(planes, plane, loads[v], row, column);
          } else if (whole) {
            run_block<kernel, stride, 1, true>(planes, plane, loads[v], row, column);
          } else {
            run_block<kernel, stride, 1, false>(planes, plane, loads[v], row, column);
          }
        }
      }
    }
  }
}

}  // namespace

const DepthwisePlanesFunction depthwise_planes_function = depthwise_planes;

}  // namespace ortool::cpu::avx2
