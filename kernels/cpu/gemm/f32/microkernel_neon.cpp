// Float32 GEMM microkernel for NEON: up to 12 rows by 8 columns in 24 accumulators.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/epilogue/activation_rows.hpp"
#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/gemm/f32/pack.hpp"
#include "kernels/cpu/isa/add_lane_neon.inc"

#define ORTOOL_ISA neon
#include "kernels/cpu/epilogue/activation_vector.inc"

namespace ortool::cpu::neon {
namespace {

constexpr int unpacked_rows = 6;
constexpr int panel_columns = 8;
constexpr int unrolled_steps = 4;

template <int rows, int vectors>
struct Sums {
  float32x4_t value[size_t{rows}][size_t{vectors}];
};

/// The factors of rows [4 * part, 4 * part + 4) of one step; reads those of `rows` only.
template <int rows>
inline __attribute__((always_inline)) float32x4_t load_factors(const float* a, int part) {
  const float* from = a + 4 * part;
  const int left = rows - 4 * part;
  if (left >= 4) return vld1q_f32(from);
  if (left == 1) return vld1q_dup_f32(from);
  const float32x4_t two = vcombine_f32(vld1_f32(from), vdup_n_f32(0));
  return left == 2 ? two : vld1q_lane_f32(from + 2, two, 2);
}

/// Four rows of one step, two vectors each. In assembly, since g++ moved sums from one register to
/// another, ten in four steps of 12 rows.
inline __attribute__((always_inline)) void add_four_rows(float32x4_t (*sums)[2],
                                                         const float32x4_t* columns,
                                                         float32x4_t factors) {
  asm("fmla %0.4s, %8.4s, %10.s[0]\n\t"
      "fmla %1.4s, %9.4s, %10.s[0]\n\t"
      "fmla %2.4s, %8.4s, %10.s[1]\n\t"
      "fmla %3.4s, %9.4s, %10.s[1]\n\t"
      "fmla %4.4s, %8.4s, %10.s[2]\n\t"
      "fmla %5.4s, %9.4s, %10.s[2]\n\t"
      "fmla %6.4s, %8.4s, %10.s[3]\n\t"
      "fmla %7.4s, %9.4s, %10.s[3]"
      : "+w"(sums[0][0]), "+w"(sums[0][1]), "+w"(sums[1][0]), "+w"(sums[1][1]), "+w"(sums[2][0]),
        "+w"(sums[2][1]), "+w"(sums[3][0]), "+w"(sums[3][1])
      : "w"(columns[0]), "w"(columns[1]), "w"(factors));
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void add_step(const float* a, const float* b,
                                                    Sums<rows, vectors>& sums) {
  constexpr int parts = (rows + 3) / 4;
  float32x4_t columns[size_t{vectors}];
  float32x4_t factors[size_t{parts}];
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) columns[v] = vld1q_f32(b + v * 4);
#pragma GCC unroll 3
  for (int part = 0; part < parts; ++part) factors[part] = load_factors<rows>(a, part);
  constexpr int asm_rows = vectors == 2 ? rows / 4 * 4 : 0;
  if constexpr (asm_rows > 0) {
#pragma GCC unroll 3
    for (int row = 0; row < asm_rows; row += 4)
      add_four_rows(&sums.value[row], columns, factors[row / 4]);
  }
#pragma GCC unroll 12
  for (int row = asm_rows; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      sums.value[row][v] = add_lane(sums.value[row][v], columns[v], factors[row / 4], row % 4);
  }
}

/// All steps; a stride that the compiler knows needs no address arithmetic.
template <int rows, int vectors>
inline __attribute__((always_inline)) void multiply_steps(const GemmTile& tile, int64_t b_stride,
                                                          Sums<rows, vectors>& sums) {
  const float* a = tile.a;
  const float* b = tile.b;
  const float* prefetch = tile.prefetch;
  const int64_t prefetch_stride = tile.prefetch_stride;
  int64_t k = tile.k;
  for (; k >= unrolled_steps; k -= unrolled_steps) {
#pragma GCC unroll 4
    for (int i = 0; i < unrolled_steps; ++i) {
      if (i % 2 == 0) __builtin_prefetch(prefetch + i * prefetch_stride, 0, 2);
      add_step<rows, vectors>(a + i * rows, b + i * b_stride, sums);
    }
    a += unrolled_steps * rows;
    b += unrolled_steps * b_stride;
    prefetch += unrolled_steps * prefetch_stride;
  }
  for (; k > 0; --k) {
    add_step<rows, vectors>(a, b, sums);
    a += rows;
    b += b_stride;
  }
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void multiply_packed(const GemmTile& tile,
                                                           Sums<rows, vectors>& sums) {
  if (tile.b_stride == panel_columns) {
    multiply_steps<rows, vectors>(tile, panel_columns, sums);
  } else {
    multiply_steps<rows, vectors>(tile, tile.b_stride, sums);
  }
}

/// Four steps of each row at once.
template <int rows, int vectors>
inline __attribute__((always_inline)) void multiply_unpacked(const GemmTile& tile,
                                                             Sums<rows, vectors>& sums) {
  const float* a = tile.a;
  const float* b = tile.b;
  int64_t k = tile.k;
  for (; k >= unrolled_steps; k -= unrolled_steps) {
    float32x4_t columns[unrolled_steps][size_t{vectors}];
#pragma GCC unroll 4
    for (int i = 0; i < unrolled_steps; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) columns[i][v] = vld1q_f32(b + v * 4);
      b += tile.b_stride;
    }
#pragma GCC unroll 6
    for (int row = 0; row < rows; ++row) {
      const float32x4_t factors = vld1q_f32(a + row * tile.a_stride);
#pragma GCC unroll 4
      for (int i = 0; i < unrolled_steps; ++i) {
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v)
          sums.value[row][v] = add_lane(sums.value[row][v], columns[i][v], factors, i);
      }
    }
    a += unrolled_steps;
  }
  for (; k > 0; --k) {
#pragma GCC unroll 6
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        sums.value[row][v] =
            vfmaq_n_f32(sums.value[row][v], vld1q_f32(b + v * 4), a[row * tile.a_stride]);
      }
    }
    a += 1;
    b += tile.b_stride;
  }
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void add_operands(const GemmTile& tile,
                                                        Sums<rows, vectors>& sums) {
  const Epilogue& epilogue = *tile.epilogue;
  if (epilogue.addend == Addend::per_row || epilogue.addend == Addend::scalar) {
    const int64_t step = epilogue.addend == Addend::per_row ? 1 : 0;
#pragma GCC unroll 12
    for (int row = 0; row < rows; ++row) {
      const float32x4_t added = vdupq_n_f32(tile.added[row * step] * epilogue.beta);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sums.value[row][v] = vaddq_f32(sums.value[row][v], added);
    }
  } else if (epilogue.addend == Addend::per_column || epilogue.addend == Addend::full) {
    const int64_t step = epilogue.addend == Addend::full ? epilogue.added_stride : 0;
#pragma GCC unroll 12
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        const float32x4_t added = vld1q_f32(tile.added + row * step + v * 4);
        sums.value[row][v] = vaddq_f32(sums.value[row][v], vmulq_n_f32(added, epilogue.beta));
      }
    }
  }
  if (tile.residual != nullptr) {
#pragma GCC unroll 12
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        const float* from = tile.residual + row * epilogue.residual_stride + v * 4;
        sums.value[row][v] = vaddq_f32(sums.value[row][v], vld1q_f32(from));
      }
    }
  }
}

template <Activation activation, int rows, int vectors>
inline __attribute__((always_inline)) void activate_all(Sums<rows, vectors>& sums, Floats low,
                                                        Floats high) {
#pragma GCC unroll 12
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      sums.value[row][v] = activate<activation>(sums.value[row][v], low, high);
  }
}

template <int rows, int vectors>
inline __attribute__((always_inline)) void finish(const GemmTile& tile, Sums<rows, vectors>& sums) {
  const Epilogue& epilogue = *tile.epilogue;
  if (epilogue.alpha != 1.0F) {
#pragma GCC unroll 12
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v)
        sums.value[row][v] = vmulq_n_f32(sums.value[row][v], epilogue.alpha);
    }
  }
  add_operands<rows, vectors>(tile, sums);
  const Floats low = splat(epilogue.low);
  const Floats high = splat(epilogue.high);
  switch (epilogue.activation) {
    case Activation::relu:
      return activate_all<Activation::relu>(sums, low, high);
    case Activation::clip:
      return activate_all<Activation::clip>(sums, low, high);
    case Activation::leaky_relu:
      return activate_all<Activation::leaky_relu>(sums, low, high);
    case Activation::hard_swish:
      return activate_all<Activation::hard_swish>(sums, low, high);
    default:
      return;
  }
}

template <int rows, int vectors, bool packed>
void run(const GemmTile& tile) {
  Sums<rows, vectors> sums;
#pragma GCC unroll 12
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sums.value[row][v] = vdupq_n_f32(0.0F);
  }
  if (tile.accumulate != 0) {
#pragma GCC unroll 12
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v)
        sums.value[row][v] = vld1q_f32(tile.c + row * tile.c_stride + v * 4);
    }
  }
  if constexpr (packed) {
    multiply_packed<rows, vectors>(tile, sums);
  } else {
    multiply_unpacked<rows, vectors>(tile, sums);
  }
  if (tile.finish != 0) finish<rows, vectors>(tile, sums);
#pragma GCC unroll 12
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      vst1q_f32(tile.c + row * tile.c_stride + v * 4, sums.value[row][v]);
  }
}

using Run = void (*)(const GemmTile& tile);

template <int vectors>
constexpr Run packed_runs[12] = {
    run<1, vectors, true>, run<2, vectors, true>,  run<3, vectors, true>,  run<4, vectors, true>,
    run<5, vectors, true>, run<6, vectors, true>,  run<7, vectors, true>,  run<8, vectors, true>,
    run<9, vectors, true>, run<10, vectors, true>, run<11, vectors, true>, run<12, vectors, true>};

template <int vectors>
constexpr Run unpacked_runs[6] = {run<1, vectors, false>, run<2, vectors, false>,
                                  run<3, vectors, false>, run<4, vectors, false>,
                                  run<5, vectors, false>, run<6, vectors, false>};

/// The rows of a tile from `row` on.
GemmTile rows_from(const GemmTile& tile, int row) {
  GemmTile rest = tile;
  rest.a += row * tile.a_stride;
  rest.c += row * tile.c_stride;
  rest.rows -= row;
  if (tile.finish != 0 && tile.added != nullptr) {
    if (tile.epilogue->addend == Addend::per_row) rest.added += row;
    if (tile.epilogue->addend == Addend::full) rest.added += row * tile.epilogue->added_stride;
  }
  if (tile.finish != 0 && tile.residual != nullptr)
    rest.residual += row * tile.epilogue->residual_stride;
  return rest;
}

void run_tile(const GemmTile& tile) {
  if (tile.a_stride == 0)
    return (tile.wide != 0 ? packed_runs<2> : packed_runs<1>)[tile.rows - 1](tile);
  const Run* runs = tile.wide != 0 ? unpacked_runs<2> : unpacked_runs<1>;
  if (tile.rows <= unpacked_rows) return runs[tile.rows - 1](tile);
  GemmTile first = tile;
  first.rows = unpacked_rows;
  runs[unpacked_rows - 1](first);
  const GemmTile rest = rows_from(tile, unpacked_rows);
  runs[rest.rows - 1](rest);
}

}  // namespace

const GemmFunctions gemm_functions = {.max_rows = 12,
                                      .panel_columns = panel_columns,
                                      .partial_columns = 0,
                                      .tile = run_tile,
                                      .pack_transposed = pack_transposed,
                                      .pack_rows = pack_rows,
                                      .dot_rows = dot_rows,
                                      .activate = baseline::activate_rows,
                                      .skinny = skinny_product,
                                      .skinny_pair = skinny_pair,
                                      .row_transposed = row_transposed,
                                      .row_unit = 4};

}  // namespace ortool::cpu::neon
