// Float32 GEMM microkernel for AVX-512: up to 14 rows by 32 columns in 28 accumulators.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/epilogue/activation_rows.hpp"
#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/gemm/f32/pack.hpp"

#define ORTOOL_ISA avx512
#include "kernels/cpu/gemm/f32/tile_rows.inc"

namespace ortool::cpu::avx512 {
namespace {

template <int rows, int vectors>
struct Sums {
  __m512 value[size_t{rows}][size_t{vectors}];
};

// Propagates NaN in the sum: max and min return their second operand if either is NaN.
inline __m512 activate(__m512 x, Activation activation, __m512 low, __m512 high) {
  switch (activation) {
    case Activation::relu:
      return _mm512_max_ps(_mm512_setzero_ps(), x);
    case Activation::clip:
      return _mm512_min_ps(high, _mm512_max_ps(low, x));
    case Activation::leaky_relu:
      return _mm512_mask_mul_ps(x, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ), x, low);
    case Activation::hard_swish: {
      const __m512 gate = _mm512_add_ps(_mm512_mul_ps(x, low), high);
      return _mm512_mul_ps(
          x, _mm512_max_ps(_mm512_setzero_ps(), _mm512_min_ps(_mm512_set1_ps(1.0F), gate)));
    }
    default:
      return x;
  }
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void finish(const GemmTile& tile, const __mmask16* mask,
                                                  Sums<rows, vectors>& sums) {
  const Epilogue& epilogue = *tile.epilogue;
  if (epilogue.alpha != 1.0F) {
    const __m512 alpha = _mm512_set1_ps(epilogue.alpha);
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] = _mm512_mul_ps(sums.value[row][v], alpha);
      }
    }
  }
  const __m512 beta = _mm512_set1_ps(epilogue.beta);
  if (epilogue.addend == Addend::per_row || epilogue.addend == Addend::scalar) {
    const int64_t step = epilogue.addend == Addend::per_row ? 1 : 0;
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
      const __m512 added = _mm512_mul_ps(_mm512_set1_ps(tile.added[row * step]), beta);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] = _mm512_add_ps(sums.value[row][v], added);
      }
    }
  } else if (epilogue.addend == Addend::per_column || epilogue.addend == Addend::full) {
    const int64_t step = epilogue.addend == Addend::full ? epilogue.added_stride : 0;
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        const __m512 added = _mm512_maskz_loadu_ps(mask[v], tile.added + row * step + v * 16);
        sums.value[row][v] = _mm512_add_ps(sums.value[row][v], _mm512_mul_ps(added, beta));
      }
    }
  }
  if (tile.residual != nullptr) {
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        const float* residual = tile.residual + row * epilogue.residual_stride + v * 16;
        sums.value[row][v] =
            _mm512_add_ps(sums.value[row][v], _mm512_maskz_loadu_ps(mask[v], residual));
      }
    }
  }
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void activate_all(Sums<rows, vectors>& sums,
                                                        Activation activation, __m512 low,
                                                        __m512 high) {
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      sums.value[row][v] = activate(sums.value[row][v], activation, low, high);
    }
  }
}

template <int rows, int vectors, bool packed>
void run(const GemmTile& tile) {
  __mmask16 mask[2];
  const uint32_t all = tile.columns >= 32 ? 0xFFFFFFFFU : (1U << tile.columns) - 1U;
  mask[0] = static_cast<__mmask16>(all & 0xFFFFU);
  mask[1] = static_cast<__mmask16>(all >> 16);
  const uint32_t start = tile.accumulate != 0 ? all : 0U;
  const __mmask16 start_mask[2] = {static_cast<__mmask16>(start & 0xFFFFU),
                                   static_cast<__mmask16>(start >> 16)};
  Sums<rows, vectors> sums;
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      sums.value[row][v] =
          _mm512_maskz_loadu_ps(start_mask[v], tile.c + row * tile.c_stride + v * 16);
    }
  }
  // Unpacked rows are addressed from five pointers of three rows each.
  const int64_t a_stride = tile.a_stride;
  const float* a = tile.a;
  const float* group[5];
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) group[i] = tile.a + 3 * i * a_stride;
  const float* b = tile.b;
  const float* prefetch = tile.prefetch;
  const int64_t b_stride = tile.b_stride;
  for (int64_t k = tile.k; k > 0; --k) {
    __m512 columns[size_t{vectors}];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) columns[v] = _mm512_loadu_ps(b + v * 16);
    _mm_prefetch(prefetch, _MM_HINT_T1);
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
      const __m512 value = _mm512_set1_ps(packed ? a[row] : group[row / 3][row % 3 * a_stride]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] = _mm512_fmadd_ps(value, columns[v], sums.value[row][v]);
      }
    }
    a += packed_step<rows>(tile);
#pragma GCC unroll 5
    for (int i = 0; i < 5; ++i) group[i] += 1;
    b += b_stride;
    prefetch += tile.prefetch_stride;
  }
  if (tile.finish != 0) {
    const Epilogue& epilogue = *tile.epilogue;
    finish<rows, vectors>(tile, mask, sums);
    const __m512 low = _mm512_set1_ps(epilogue.low);
    const __m512 high = _mm512_set1_ps(epilogue.high);
    switch (epilogue.activation) {
      case Activation::relu:
        activate_all<rows, vectors>(sums, Activation::relu, low, high);
        break;
      case Activation::clip:
        activate_all<rows, vectors>(sums, Activation::clip, low, high);
        break;
      case Activation::leaky_relu:
        activate_all<rows, vectors>(sums, Activation::leaky_relu, low, high);
        break;
      case Activation::hard_swish:
        activate_all<rows, vectors>(sums, Activation::hard_swish, low, high);
        break;
      default:
        break;
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      _mm512_mask_storeu_ps(tile.c + row * tile.c_stride + v * 16, mask[v], sums.value[row][v]);
    }
  }
}

using Run = void (*)(const GemmTile& tile);

constexpr int max_rows = 14;

/// Null if the number of rows has no function.
template <int rows, int vectors, bool packed>
constexpr Run run_of() {
  if constexpr (has_tile(rows, max_rows)) return run<rows, vectors, packed>;
  return nullptr;
}

template <int vectors, bool packed>
constexpr Run runs[max_rows] = {
    run_of<1, vectors, packed>(),  run_of<2, vectors, packed>(),  run_of<3, vectors, packed>(),
    run_of<4, vectors, packed>(),  run_of<5, vectors, packed>(),  run_of<6, vectors, packed>(),
    run_of<7, vectors, packed>(),  run_of<8, vectors, packed>(),  run_of<9, vectors, packed>(),
    run_of<10, vectors, packed>(), run_of<11, vectors, packed>(), run_of<12, vectors, packed>(),
    run_of<13, vectors, packed>(), run_of<14, vectors, packed>()};

void run_tile(const GemmTile& tile) {
  if (tile.a_stride == 0) {
    run_rows(tile.wide != 0 ? runs<2, true> : runs<1, true>, tile);
  } else {
    run_rows(tile.wide != 0 ? runs<2, false> : runs<1, false>, tile);
  }
}

}  // namespace

const GemmFunctions gemm_functions = {.max_rows = max_rows,
                                      .panel_columns = 32,
                                      .partial_columns = 1,
                                      .tile = run_tile,
                                      .pack_transposed = pack_transposed,
                                      .pack_rows = pack_rows,
                                      .dot_rows = dot_rows,
                                      .activate = activate_rows,
                                      .skinny = skinny_product,
                                      .skinny_pair = skinny_pair,
                                      .row_transposed = row_transposed};

}  // namespace ortool::cpu::avx512
