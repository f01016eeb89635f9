// Int8 GEMM microkernel for the dot products of ARMv8.2 (SDOT): up to 8 rows by 8 columns.
//
// SDOT multiplies signed values only, so the unsigned operand is packed as 128 less, and sums start
// at 128 times that of the signed operand.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/int8/microkernel.hpp"

namespace ortool::cpu::dotprod {
namespace {

constexpr int lanes = 4;
constexpr int max_rows = 8;
constexpr int max_vectors = 2;

inline int8x16_t load_quads(const int32_t* from) {
  return vreinterpretq_s8_s32(vld1q_s32(from));
}
inline int8x16_t less_128(int8x16_t value) {
  return veorq_s8(value, vdupq_n_s8(-128));
}

/// The quads of rows [4 * part, 4 * part + 4) of one step; reads those of `rows` only.
template <int rows>
inline __attribute__((always_inline)) int8x16_t load_rows(const int32_t* a, int part) {
  const int32_t* from = a + 4 * part;
  const int left = rows - 4 * part;
  if (left >= 4) return load_quads(from);
  if (left == 1) return vreinterpretq_s8_s32(vld1q_dup_s32(from));
  const int32x2_t two = vld1_s32(from);
  return vreinterpretq_s8_s32(vcombine_s32(two, left == 2 ? two : vld1_dup_s32(from + 2)));
}

inline int32x4_t add_lane(int32x4_t sums, int8x16_t columns, int8x16_t factors, int lane) {
  switch (lane) {
    case 0:
      return vdotq_laneq_s32(sums, columns, factors, 0);
    case 1:
      return vdotq_laneq_s32(sums, columns, factors, 1);
    case 2:
      return vdotq_laneq_s32(sums, columns, factors, 2);
    default:
      return vdotq_laneq_s32(sums, columns, factors, 3);
  }
}

template <int rows, int vectors>
struct TileSums {
  int32x4_t of[size_t{rows}][size_t{vectors}];

  template <bool has_unsigned_rows>
  inline __attribute__((always_inline)) void start(const int32_t* starts) {
#pragma GCC unroll 8
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        of[row][v] = has_unsigned_rows ? vld1q_s32(starts + v * lanes) : vdupq_n_s32(starts[row]);
      }
    }
  }

  /// Adds the products of one step.
  inline __attribute__((always_inline)) void add(const int32_t* a, const int32_t* b) {
    constexpr int parts = (rows + 3) / 4;
    int8x16_t columns[size_t{vectors}];
    int8x16_t factors[size_t{parts}];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) columns[v] = load_quads(b + v * lanes);
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part) factors[part] = load_rows<rows>(a, part);
#pragma GCC unroll 8
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v)
        of[row][v] = add_lane(of[row][v], columns[v], factors[row / 4], row % 4);
    }
  }
};

template <int rows, int vectors, bool has_unsigned_rows>
void run(const Int8Tile& tile) {
  constexpr int together = 4;  // steps of a round
  const int64_t b_stride = tile.b_stride;
  TileSums<rows, vectors> sums;
  sums.template start<has_unsigned_rows>(tile.starts);
  const int32_t* a = tile.a;
  const int32_t* b = tile.b;
  const uint8_t* prefetch = tile.prefetch;
  int64_t step = 0;
  for (; step + together <= tile.steps; step += together) {
    if (step < tile.prefetch_lines) {
#pragma GCC unroll 4
      for (int i = 0; i < together; ++i) __builtin_prefetch(prefetch + 64 * i, 0, 2);
      prefetch += 64 * together;
    }
#pragma GCC unroll 4
    for (int i = 0; i < together; ++i) {
      sums.add(a + i * rows, b);
      b += b_stride;
    }
    a += together * rows;
  }
  for (; step < tile.steps; ++step) {
    sums.add(a, b);
    a += rows;
    b += b_stride;
  }
#pragma GCC unroll 8
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v)
      vst1q_s32(tile.c + row * tile.c_stride + v * lanes, sums.of[row][v]);
  }
}

using Run = void (*)(const Int8Tile& tile);

template <int vectors, bool has_unsigned_rows>
constexpr Run runs[max_rows] = {
    run<1, vectors, has_unsigned_rows>, run<2, vectors, has_unsigned_rows>,
    run<3, vectors, has_unsigned_rows>, run<4, vectors, has_unsigned_rows>,
    run<5, vectors, has_unsigned_rows>, run<6, vectors, has_unsigned_rows>,
    run<7, vectors, has_unsigned_rows>, run<8, vectors, has_unsigned_rows>};

template <bool has_unsigned_rows>
void run_tile(const Int8Tile& tile) {
  (tile.vectors == 2 ? runs<2, has_unsigned_rows>
                     : runs<1, has_unsigned_rows>)[tile.rows - 1](tile);
}

inline int32x4_t dot_bytes(int32x4_t sums, uint8x16_t bytes, int8x16_t weights) {
  return vdotq_s32(sums, less_128(vreinterpretq_s8_u8(bytes)), weights);
}

/// 128 times the sum of all weights.
inline int32x4_t plane_start(const Int8Plane& plane) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int32_t i = 0; i < plane.kernel_rows * plane.words; ++i) {
    const int8x16_t weights = vreinterpretq_s8_s32(vdupq_n_s32(plane.weights[i]));
    sum = vdotq_s32(sum, weights, vdupq_n_s8(1));
  }
  return vshlq_n_s32(sum, 7);
}

}  // namespace
}  // namespace ortool::cpu::dotprod

#define ORTOOL_ISA dotprod
#include "kernels/cpu/gemm/int8/depthwise_plane_neon.inc"

namespace ortool::cpu::dotprod {

const Int8GemmFunctions int8_gemm_functions = {.group = 4,
                                               .max_rows = max_rows,
                                               .lanes = lanes,
                                               .max_columns = max_vectors * lanes,
                                               .signed_rows = run_tile<false>,
                                               .unsigned_rows = run_tile<true>,
                                               .plane = run_plane,
                                               .multiplies_signed = true};

}  // namespace ortool::cpu::dotprod
