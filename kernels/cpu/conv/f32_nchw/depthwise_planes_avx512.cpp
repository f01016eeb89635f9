// Depthwise convolution with 3x3 or 5x5 kernels for AVX-512: 16 columns by up to 4 rows at a time.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define ORTOOL_ISA avx512
#include "kernels/cpu/conv/f32_nchw/depthwise_plane_dispatch.inc"
#include "kernels/cpu/isa/tile_sizes.inc"

namespace ortool::cpu::avx512 {
namespace {

inline __mmask16 lanes_between(int64_t begin, int64_t end) {
  const uint32_t low = begin <= 0 ? 0U : (begin >= 16 ? 16U : static_cast<uint32_t>(begin));
  const uint32_t high = end <= 0 ? 0U : (end >= 16 ? 16U : static_cast<uint32_t>(end));
  return high <= low ? __mmask16{0}
                     : static_cast<__mmask16>(((1U << high) - 1U) & ~((1U << low) - 1U));
}

// Propagates NaN: max and min return their second operand if either is NaN.
inline __m512 activate(__m512 x, const EpilogueTile& epilogue) {
  const __m512 zero = _mm512_setzero_ps();
  const __m512 low = _mm512_set1_ps(epilogue.low);
  const __m512 high = _mm512_set1_ps(epilogue.high);
  switch (epilogue.activation) {
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

/// The loads for a block of 16 output columns: vector 0 begins at column `first`, each further one
/// 16 (stride 2) or 1 (stride 1) columns later.
template <int kernel, int stride>
struct ColumnLoads {
  static constexpr int count = stride == 1 ? kernel : (kernel + 1) / 2 * 2;
  int64_t offset[size_t{count}];
  __mmask16 mask[size_t{count}];
};

template <int kernel, int stride>
ColumnLoads<kernel, stride> find_loads(const DepthwisePlanes& planes, int64_t column) {
  ColumnLoads<kernel, stride> loads;
  for (int i = 0; i < loads.count; ++i) {
    const int64_t shift = stride == 1 ? i : i / 2 * 2 + i % 2 * 16;
    loads.offset[i] = column * stride - planes.column_pad + shift;
    loads.mask[i] = lanes_between(-loads.offset[i], planes.in_columns - loads.offset[i]);
  }
  return loads;
}

/// The inputs that the 16 output columns read from one input row, for each kernel column.
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
void run_block(const DepthwisePlanes& planes, const Plane& plane,
               const ColumnLoads<kernel, stride>& loads, int64_t row, int64_t column) {
  __m512 sums[size_t{rows}];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) sums[i] = _mm512_setzero_ps();
  const int64_t first = row * stride - planes.row_pad;
  const float* weights = plane.weights;
  const float* in = plane.in + first * planes.in_columns;
#pragma GCC unroll 20
  for (int in_row = 0; in_row < (rows - 1) * stride + kernel; ++in_row) {
    const int64_t y = first + in_row;
    if (y >= 0 && y < planes.in_rows) {
      __m512 seen[size_t{kernel + 1}];
      load_row<kernel, stride>(loads, in, seen);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const int at = in_row - i * stride;
        if (at < 0 || at >= kernel) continue;
#pragma GCC unroll 5
        for (int k = 0; k < kernel; ++k) {
          sums[i] = _mm512_fmadd_ps(_mm512_set1_ps(weights[at * kernel + k]), seen[k], sums[i]);
        }
      }
    }
    in += planes.in_columns;
  }
  const __mmask16 store = lanes_between(0, planes.out_columns - column);
  const int64_t at = row * planes.out_columns + column;
  const __m512 bias = _mm512_set1_ps(plane.bias);
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) sums[i] = _mm512_add_ps(sums[i], bias);
  if (plane.residual != nullptr) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const float* residual = plane.residual + at + i * planes.out_columns;
      sums[i] = _mm512_add_ps(sums[i], _mm512_maskz_loadu_ps(store, residual));
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    float* to = plane.out + at + i * planes.out_columns;
    _mm512_mask_storeu_ps(to, store, activate(sums[i], planes.epilogue));
  }
}

template <int kernel, int stride>
using Block = void (*)(const DepthwisePlanes& planes, const Plane& plane,
                       const ColumnLoads<kernel, stride>& loads, int64_t row, int64_t column);

constexpr int max_rows = 8;

/// Null if the number of rows has no function.
template <int kernel, int stride, int rows>
constexpr Block<kernel, stride> block_of() {
  if constexpr (has_tile(rows, max_rows)) return run_block<kernel, stride, rows>;
  return nullptr;
}

template <int kernel, int stride>
void run_planes(const DepthwisePlanes& planes) {
  constexpr Block<kernel, stride> blocks[max_rows] = {
      block_of<kernel, stride, 1>(), block_of<kernel, stride, 2>(), block_of<kernel, stride, 3>(),
      block_of<kernel, stride, 4>(), block_of<kernel, stride, 5>(), block_of<kernel, stride, 6>(),
      block_of<kernel, stride, 7>(), block_of<kernel, stride, 8>()};
  constexpr int64_t max_vectors = 16;
  // Wide images are processed in strips, so that the loads are set up once per strip.
  for (int64_t strip = 0; strip < planes.out_columns; strip += max_vectors * 16) {
    ColumnLoads<kernel, stride> loads[max_vectors];
    int64_t vectors = 0;
    for (int64_t column = strip; column < planes.out_columns && vectors < max_vectors;
         column += 16) {
      loads[vectors++] = find_loads<kernel, stride>(planes, column);
    }
    for (int64_t index = 0; index < planes.planes; ++index) {
      const Plane plane = plane_at(planes, index);
      for (int64_t row = planes.row_begin; row < planes.row_end;) {
        const int64_t left = planes.row_end - row;
        const int64_t rows = largest_tile(blocks, left < max_rows ? left : max_rows);
        for (int64_t v = 0; v < vectors; ++v) {
          blocks[rows - 1](planes, plane, loads[v], row, strip + v * 16);
        }
        row += rows;
      }
    }
  }
}

}  // namespace

const DepthwisePlanesFunction depthwise_planes_function = depthwise_planes;

}  // namespace ortool::cpu::avx512
