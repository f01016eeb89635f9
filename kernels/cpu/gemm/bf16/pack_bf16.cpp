// Packing for the bfloat16 GEMM with AVX512-BF16.
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "kernels/cpu/gemm/bf16/pack.hpp"

namespace ortool::cpu::bf16 {
namespace {

/// Mask of the first `count` of 16 lanes.
inline __mmask16 first(int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xFFFFU : count <= 0 ? 0U : (1U << count) - 1U);
}

/// 32 adjacent values, zeros after the first `count`, as bfloat16.
inline __m512i round_adjacent(const float* from, int64_t count) {
  const __m512 low = _mm512_maskz_loadu_ps(first(count), from);
  const __m512 high = _mm512_maskz_loadu_ps(first(count - 16), from + 16);
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
}

/// The order that interleaves the lower and upper 16 values.
inline __m512i pair_order() {
  alignas(64) uint16_t order[32];
  for (uint16_t i = 0; i < 16; ++i) {
    order[2 * i] = i;
    order[2 * i + 1] = static_cast<uint16_t>(i + 16);
  }
  return _mm512_load_si512(order);
}

/// Transposes 16 × 16 elements of 32 bits: first within quarters of 4 × 4, then the quarters.
inline void transpose(__m512i (&rows)[16]) {
  __m512i twos[16];
  for (int i = 0; i < 16; i += 2) {
    twos[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    twos[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  __m512i fours[16];
  for (int i = 0; i < 16; i += 4) {
    fours[i] = _mm512_unpacklo_epi64(twos[i], twos[i + 2]);
    fours[i + 1] = _mm512_unpackhi_epi64(twos[i], twos[i + 2]);
    fours[i + 2] = _mm512_unpacklo_epi64(twos[i + 1], twos[i + 3]);
    fours[i + 3] = _mm512_unpackhi_epi64(twos[i + 1], twos[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    constexpr int even = 0x88;
    constexpr int odd = 0xDD;
    const __m512i upper_even = _mm512_shuffle_i32x4(fours[i], fours[i + 4], even);
    const __m512i upper_odd = _mm512_shuffle_i32x4(fours[i], fours[i + 4], odd);
    const __m512i lower_even = _mm512_shuffle_i32x4(fours[i + 8], fours[i + 12], even);
    const __m512i lower_odd = _mm512_shuffle_i32x4(fours[i + 8], fours[i + 12], odd);
    rows[i] = _mm512_shuffle_i32x4(upper_even, lower_even, even);
    rows[i + 4] = _mm512_shuffle_i32x4(upper_odd, lower_odd, even);
    rows[i + 8] = _mm512_shuffle_i32x4(upper_even, lower_even, odd);
    rows[i + 12] = _mm512_shuffle_i32x4(upper_odd, lower_odd, odd);
  }
}

}  // namespace

void pack_rows(const float* a, int64_t a_stride, int64_t rows, int64_t k, uint16_t* out) {
  const int64_t steps = bf16_steps(k);
  for (int64_t row = 0; row < bf16_block_rows; ++row) {
    uint16_t* to = out + row * bf16_step;
    const float* from = a + row * a_stride;
    for (int64_t step = 0; step < steps; ++step, to += bf16_step_values, from += bf16_step) {
      const __m512i values =
          row < rows ? round_adjacent(from, k - step * bf16_step) : _mm512_setzero_si512();
      _mm512_storeu_si512(to, values);
    }
  }
}

void pack_columns(const float* b, int64_t b_stride, int64_t columns, int64_t k, uint16_t* out) {
  const __m512i order = pair_order();
  const __mmask16 there = first(columns);
  const int64_t stored = bf16_steps(k) * bf16_step;
  for (int64_t at = 0; at < stored; at += 2, out += 2 * bf16_panel_columns) {
    const __m512 even = _mm512_maskz_loadu_ps(at < k ? there : __mmask16{0}, b + at * b_stride);
    const __m512 odd =
        _mm512_maskz_loadu_ps(at + 1 < k ? there : __mmask16{0}, b + (at + 1) * b_stride);
    const auto values = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd, even));
    _mm512_storeu_si512(out, _mm512_maskz_permutexvar_epi16(0xFFFFFFFFU, order, values));
  }
}

void pack_transposed(const float* b, int64_t b_stride, int64_t columns, int64_t k, uint16_t* out) {
  const int64_t steps = bf16_steps(k);
  if (columns < bf16_panel_columns)
    memset(out, 0, static_cast<size_t>(steps * bf16_step_values) * sizeof(uint16_t));
  if (columns == bf16_panel_columns) {
    __m512i pairs[bf16_panel_columns];
    for (int64_t step = 0; step < steps; ++step, b += bf16_step) {
      for (int64_t column = 0; column < bf16_panel_columns; ++column)
        pairs[column] = round_adjacent(b + column * b_stride, k - step * bf16_step);
      transpose(pairs);
      for (const __m512i& values : pairs) {
        _mm512_storeu_si512(out, values);
        out += 2 * bf16_panel_columns;
      }
    }
    return;
  }
  alignas(64) uint32_t pairs[16];
  for (int64_t column = 0; column < columns; ++column) {
    const float* from = b + column * b_stride;
    uint16_t* to = out + column * 2;
    for (int64_t step = 0; step < steps; ++step, from += bf16_step, to += bf16_step_values) {
      _mm512_store_si512(pairs, round_adjacent(from, k - step * bf16_step));
      for (int64_t pair = 0; pair < 16; ++pair)
        memcpy(to + pair * 2 * bf16_panel_columns, pairs + pair, sizeof(uint32_t));
    }
  }
}

}  // namespace ortool::cpu::bf16
