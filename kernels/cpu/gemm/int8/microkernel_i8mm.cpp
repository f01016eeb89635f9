// Int8 GEMM microkernel for the matrix products of ARMv8.6 (USMMLA): up to 8 rows by 12 columns.
//
// USMMLA multiplies two rows by two columns, eight values along k each: a pair of steps.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/int8/microkernel.hpp"

namespace ortool::cpu::i8mm {
namespace {

constexpr int lanes = 4;
constexpr int max_rows = 8;
constexpr int max_vectors = 3;

/// The words of rows 2 * pair and 2 * pair + 1; reads those of `rows` only.
template <int rows>
inline __attribute__((always_inline)) int32x4_t load_rows(const int32_t* a, int pair) {
  const int32_t* from = a + 4 * pair;
  if (rows - 2 * pair >= 2) return vld1q_s32(from);
  const int32x2_t one = vld1_s32(from);
  return vcombine_s32(one, one);
}

/// sums + two rows by two columns, row by row (with unsigned rows) or column by column.
template <bool has_unsigned_rows>
inline int32x4_t add_products(int32x4_t sums, int32x4_t rows, int32x4_t columns) {
  if constexpr (has_unsigned_rows)
    return vusmmlaq_s32(sums, vreinterpretq_u8_s32(rows), vreinterpretq_s8_s32(columns));
  return vusmmlaq_s32(sums, vreinterpretq_u8_s32(columns), vreinterpretq_s8_s32(rows));
}

template <int rows, int vectors, bool has_unsigned_rows>
struct Sums {
  static constexpr int pairs = (rows + 1) / 2;
  int32x4_t value[size_t{pairs}][size_t{2 * vectors}];

  /// Adds the products of a pair of steps.
  inline __attribute__((always_inline)) void add(const int32_t* a, const int32_t* b) {
    int32x4_t factors[size_t{pairs}];
#pragma GCC unroll 4
    for (int pair = 0; pair < pairs; ++pair) factors[pair] = load_rows<rows>(a, pair);
#pragma GCC unroll 6
    for (int i = 0; i < 2 * vectors; ++i) {
      const int32x4_t columns = vld1q_s32(b + i * lanes);
#pragma GCC unroll 4
      for (int pair = 0; pair < pairs; ++pair)
        value[pair][i] = add_products<has_unsigned_rows>(value[pair][i], factors[pair], columns);
    }
  }
};

template <int rows, int vectors, bool has_unsigned_rows>
void run(const Int8Tile& tile) {
  using Products = Sums<rows, vectors, has_unsigned_rows>;
  Products sums;
#pragma GCC unroll 4
  for (int pair = 0; pair < Products::pairs; ++pair) {
#pragma GCC unroll 6
    for (int i = 0; i < 2 * vectors; ++i) sums.value[pair][i] = vdupq_n_s32(0);
  }
  const int32_t* a = tile.a;
  const int32_t* b = tile.b;
  const uint8_t* prefetch = tile.prefetch;
  for (int64_t step = 0; step < tile.steps; step += 2) {
    if (step < tile.prefetch_lines) {
      __builtin_prefetch(prefetch, 0, 2);
      __builtin_prefetch(prefetch + 64, 0, 2);
      prefetch += 128;
    }
    sums.add(a, b);
    a += 2 * rows;
    b += 2 * tile.b_stride;
  }
#pragma GCC unroll 4
  for (int pair = 0; pair < Products::pairs; ++pair) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      const int32x4_t left = sums.value[pair][2 * v];
      const int32x4_t right = sums.value[pair][2 * v + 1];
      int32x4_t upper;
      int32x4_t lower;
      if (has_unsigned_rows) {
        upper = vcombine_s32(vget_low_s32(left), vget_low_s32(right));
        lower = vcombine_s32(vget_high_s32(left), vget_high_s32(right));
      } else {
        upper = vuzp1q_s32(left, right);
        lower = vuzp2q_s32(left, right);
      }
      int32_t* to = tile.c + 2 * pair * tile.c_stride + v * lanes;
      vst1q_s32(to, upper);
      if (2 * pair + 1 < rows) vst1q_s32(to + tile.c_stride, lower);
    }
  }
}

/// One row has half a pair only, so dot products take as many instructions.
template <int vectors, bool has_unsigned_rows>
void run_single(const Int8Tile& tile) {
  int32x4_t sums[size_t{2 * vectors}];
#pragma GCC unroll 6
  for (int i = 0; i < 2 * vectors; ++i) sums[i] = vdupq_n_s32(0);
  const int32_t* b = tile.b;
  for (int64_t step = 0; step < tile.steps; step += 2) {
    const int32x2_t pair = vld1_s32(tile.a + step);
    const int32x4_t factor = vcombine_s32(pair, pair);
#pragma GCC unroll 6
    for (int i = 0; i < 2 * vectors; ++i) {
      const int32x4_t columns = vld1q_s32(b + i * lanes);
      const int32x4_t u = has_unsigned_rows ? factor : columns;
      const int32x4_t s = has_unsigned_rows ? columns : factor;
      sums[i] = vusdotq_s32(sums[i], vreinterpretq_u8_s32(u), vreinterpretq_s8_s32(s));
    }
    b += 2 * tile.b_stride;
  }
#pragma GCC unroll 3
  for (int v = 0; v < vectors; ++v)
    vst1q_s32(tile.c + v * lanes, vpaddq_s32(sums[2 * v], sums[2 * v + 1]));
}

using Run = void (*)(const Int8Tile& tile);

template <int vectors, bool has_unsigned_rows>
constexpr Run runs[max_rows] = {
    run_single<vectors, has_unsigned_rows>, run<2, vectors, has_unsigned_rows>,
    run<3, vectors, has_unsigned_rows>,     run<4, vectors, has_unsigned_rows>,
    run<5, vectors, has_unsigned_rows>,     run<6, vectors, has_unsigned_rows>,
    run<7, vectors, has_unsigned_rows>,     run<8, vectors, has_unsigned_rows>};

template <bool has_unsigned_rows>
void run_tile(const Int8Tile& tile) {
  const Run* by_rows = tile.vectors == 3   ? runs<3, has_unsigned_rows>
                       : tile.vectors == 2 ? runs<2, has_unsigned_rows>
                                           : runs<1, has_unsigned_rows>;
  by_rows[tile.rows - 1](tile);
}

inline int32x4_t dot_bytes(int32x4_t sums, uint8x16_t bytes, int8x16_t weights) {
  return vusdotq_s32(sums, bytes, weights);
}

inline int32x4_t plane_start(const Int8Plane&) {
  return vdupq_n_s32(0);
}

}  // namespace
}  // namespace ortool::cpu::i8mm

#define ORTOOL_ISA i8mm
#include "kernels/cpu/gemm/int8/depthwise_plane_neon.inc"

namespace ortool::cpu::i8mm {

const Int8GemmFunctions int8_gemm_functions = {.group = 4,
                                               .max_rows = max_rows,
                                               .lanes = lanes,
                                               .max_columns = max_vectors * lanes,
                                               .signed_rows = run_tile<false>,
                                               .unsigned_rows = run_tile<true>,
                                               .plane = run_plane,
                                               .pairs_steps = true};

}  // namespace ortool::cpu::i8mm
