// Float32 GEMM microkernel for AVX2: up to 6 rows by 16 columns in 12 accumulators.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/epilogue/activation_rows.hpp"
#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/gemm/f32/pack.hpp"

#define ORTOOL_ISA avx2
#include "kernels/cpu/gemm/f32/tile_rows.inc"

namespace ortool::cpu::avx2 {
namespace {

template <int rows, int vectors>
struct Sums {
  __m256 value[size_t{rows}][size_t{vectors}];
};

// Propagates NaN in the sum: max and min return their second operand if either is NaN.
inline __m256 activate(__m256 x, Activation activation, __m256 low, __m256 high) {
  const __m256 zero = _mm256_setzero_ps();
  switch (activation) {
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

template <int rows, int vectors>
inline __attribute__((always_inline)) void add_operands(const GemmTile& tile,
                                                        Sums<rows, vectors>& sums) {
  const Epilogue& epilogue = *tile.epilogue;
  const __m256 beta = _mm256_set1_ps(epilogue.beta);
  if (epilogue.addend == Addend::per_row || epilogue.addend == Addend::scalar) {
    const int64_t step = epilogue.addend == Addend::per_row ? 1 : 0;
#pragma GCC unroll 6
    for (int row = 0; row < rows; ++row) {
      const __m256 added = _mm256_mul_ps(_mm256_set1_ps(tile.added[row * step]), beta);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] = _mm256_add_ps(sums.value[row][v], added);
      }
    }
  } else if (epilogue.addend == Addend::per_column || epilogue.addend == Addend::full) {
    const int64_t step = epilogue.addend == Addend::full ? epilogue.added_stride : 0;
#pragma GCC unroll 6
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        const __m256 added = _mm256_loadu_ps(tile.added + row * step + v * 8);
        sums.value[row][v] = _mm256_add_ps(sums.value[row][v], _mm256_mul_ps(added, beta));
      }
    }
  }
  if (tile.residual != nullptr) {
#pragma GCC unroll 6
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] =
            _mm256_add_ps(sums.value[row][v],
                          _mm256_loadu_ps(tile.residual + row * epilogue.residual_stride + v * 8));
      }
    }
  }
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void activate_all(Sums<rows, vectors>& sums,
                                                        Activation activation, __m256 low,
                                                        __m256 high) {
#pragma GCC unroll 6
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      sums.value[row][v] = activate(sums.value[row][v], activation, low, high);
    }
  }
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void finish(const GemmTile& tile, Sums<rows, vectors>& sums) {
  const Epilogue& epilogue = *tile.epilogue;
  if (epilogue.alpha != 1.0F) {
    const __m256 alpha = _mm256_set1_ps(epilogue.alpha);
#pragma GCC unroll 6
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] = _mm256_mul_ps(sums.value[row][v], alpha);
      }
    }
  }
  add_operands<rows, vectors>(tile, sums);
  const __m256 low = _mm256_set1_ps(epilogue.low);
  const __m256 high = _mm256_set1_ps(epilogue.high);
  switch (epilogue.activation) {
    case Activation::relu:
      return activate_all<rows, vectors>(sums, Activation::relu, low, high);
    case Activation::clip:
      return activate_all<rows, vectors>(sums, Activation::clip, low, high);
    case Activation::leaky_relu:
      return activate_all<rows, vectors>(sums, Activation::leaky_relu, low, high);
    case Activation::hard_swish:
      return activate_all<rows, vectors>(sums, Activation::hard_swish, low, high);
    default:
      return;
  }
}

template <int rows, int vectors, bool packed>
void run(const GemmTile& tile) {
  Sums<rows, vectors> sums;
  const __m256i all = _mm256_set1_epi32(-tile.accumulate);
#pragma GCC unroll 6
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      sums.value[row][v] = _mm256_maskload_ps(tile.c + row * tile.c_stride + v * 8, all);
    }
  }
  // Unpacked rows are addressed from two pointers of three rows each.
  const float* a = tile.a;
  const float* lower = tile.a + 3 * tile.a_stride;
  const int64_t a_stride = tile.a_stride;
  const float* b = tile.b;
  const float* prefetch = tile.prefetch;
  const int64_t b_stride = tile.b_stride;
  for (int64_t k = tile.k; k > 0; --k) {
    __m256 columns[size_t{vectors}];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) columns[v] = _mm256_loadu_ps(b + v * 8);
    _mm_prefetch(prefetch, _MM_HINT_T1);
#pragma GCC unroll 6
    for (int row = 0; row < rows; ++row) {
      const float* from = packed    ? a + row
                          : row < 3 ? a + row * a_stride
                                    : lower + (row - 3) * a_stride;
      const __m256 value = _mm256_broadcast_ss(from);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] = _mm256_fmadd_ps(value, columns[v], sums.value[row][v]);
      }
    }
    a += packed ? packed_step<rows>(tile) : 1;
    lower += 1;
    b += b_stride;
    prefetch += tile.prefetch_stride;
  }
  if (tile.finish != 0) finish<rows, vectors>(tile, sums);
#pragma GCC unroll 6
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      _mm256_storeu_ps(tile.c + row * tile.c_stride + v * 8, sums.value[row][v]);
    }
  }
}

using Run = void (*)(const GemmTile& tile);

constexpr int max_rows = 6;

/// Null if the number of rows has no function.
template <int rows, int vectors, bool packed>
constexpr Run run_of() {
  if constexpr (has_tile(rows, max_rows)) return run<rows, vectors, packed>;
  return nullptr;
}

template <int vectors, bool packed>
constexpr Run runs[max_rows] = {run_of<1, vectors, packed>(), run_of<2, vectors, packed>(),
                                run_of<3, vectors, packed>(), run_of<4, vectors, packed>(),
                                run_of<5, vectors, packed>(), run_of<6, vectors, packed>()};

void run_tile(const GemmTile& tile) {
  if (tile.a_stride == 0) {
    run_rows(tile.wide != 0 ? runs<2, true> : runs<1, true>, tile);
  } else {
    run_rows(tile.wide != 0 ? runs<2, false> : runs<1, false>, tile);
  }
}

}  // namespace

const GemmFunctions gemm_functions = {.max_rows = max_rows,
                                      .panel_columns = 16,
                                      .partial_columns = 0,
                                      .tile = run_tile,
                                      .pack_transposed = pack_transposed,
                                      .pack_rows = pack_rows,
                                      .dot_rows = dot_rows,
                                      .activate = activate_rows,
                                      .skinny = skinny_product,
                                      .skinny_pair = skinny_pair,
                                      .row_transposed = row_transposed};

}  // namespace ortool::cpu::avx2
