// Int8 NCHW16c microkernel for AVX-512 VNNI with VBMI: requantizes in fixed point, and by the float
// formula where that reports a rounding tie.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"

#define ORTOOL_ISA vbmi
#include "kernels/cpu/conv/int8_nchwc/dense_sums.inc"
#include "kernels/cpu/conv/int8_nchwc/requantize_avx512.inc"
#include "kernels/cpu/epilogue/requantize_fixed_point_avx512.inc"

namespace ortool::cpu::vbmi {
namespace {

/// Up to four pixels of one channel block by the float formula; returns the mask of rounding ties.
template <int pixels>
__attribute__((always_inline)) inline uint64_t finish_by_formula(const NchwcInt8Tile& tile,
                                                                 const __m512i* sums, int vector,
                                                                 bool tells_ties, uint8_t* out) {
  const VectorRequantizer make(tile.epilogue.range);
  const __m512 scale = _mm512_loadu_ps(tile.epilogue.scales + vector * 16);
  __m512 numbers[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    numbers[i] = i < pixels ? make.number(sums[i], scale) : _mm512_setzero_ps();
  store_pixels(out, _mm512_maskz_permutexvar_epi32(every_lane, by_pixels(), make.bytes(numbers)),
               pixels);
  uint64_t bits = 0;
  if (tells_ties) {
#pragma GCC unroll 4
    for (int i = 0; i < pixels; ++i) bits |= make.near_tie(numbers[i]) << (16 * i);
  }
  return bits;
}

/// Calls `finish` with the number of pixels of each group of four, the index of its first one, and
/// the channel block.
template <int pixels, int vectors, typename Finish>
__attribute__((always_inline)) inline void each_four(const NchwcInt8Tile& tile,
                                                     const __m512i (&sums)[size_t{vectors}][16],
                                                     const Finish& finish) {
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    uint8_t* out = tile.out + v * tile.out_stride;
    uint64_t* ties = tile.ties + v * max_tie_words;
#pragma GCC unroll 4
    for (int first = 0; first < pixels; first += 4) {
      if (first + 4 <= pixels) {
        finish.template four<4>(sums[v] + first, v, out + first * 16, ties[first / 4]);
      } else {
        finish.template four<pixels % 4>(sums[v] + first, v, out + first * 16, ties[first / 4]);
      }
    }
  }
}

/// Without rounding ties to tell.
struct FormulaFinish {
  const NchwcInt8Tile& tile;

  template <int pixels>
  __attribute__((always_inline)) inline void four(const __m512i* sums, int v, uint8_t* out,
                                                  uint64_t& /*ties*/) const {
    finish_by_formula<pixels>(tile, sums, v, false, out);
  }
};

struct FixedPointFinish {
  const NchwcInt8Tile& tile;
  const FixedPointRequantizer& make;
  __m512 offset;
  __m512 scales[2];  ///< times fixed_unit
  bool& has_ties;

  template <int pixels>
  __attribute__((always_inline)) inline void four(const __m512i* sums, int v, uint8_t* out,
                                                  uint64_t& ties) const {
    __m512 numbers[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const __m512i sum = sums[i < pixels ? i : 0];
      numbers[i] = _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(every_lane, sum), scales[v], offset);
    }
    __m512i bytes;
    const bool is_told = make.make(numbers, bytes);
    store_pixels(out, bytes, pixels);
    ties = 0;
    if (__builtin_expect(is_told, 0)) {
      ties = finish_by_formula<pixels>(tile, sums, v, true, out);
      has_ties |= ties != 0;
    }
  }
};

template <int pixels, int vectors, int step>
bool run_blocked(const NchwcInt8Tile& tile) {
  __m512i sums[size_t{vectors}][16];
  sum_tile<pixels, vectors, step>(tile, sums);
  if (!tile.tells_ties) {
    each_four<pixels, vectors>(tile, sums, FormulaFinish{tile});
    return false;
  }
  bool has_ties = false;
  const FixedPointRequantizer make(tile.epilogue.range, fixed_sum_error);
  FixedPointFinish finish = {tile, make, _mm512_set1_ps(make.offset()), {}, has_ties};
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    finish.scales[v] =
        _mm512_mul_ps(_mm512_loadu_ps(tile.epilogue.scales + v * 16), _mm512_set1_ps(fixed_unit));
  }
  each_four<pixels, vectors>(tile, sums, finish);
  return has_ties;
}

/// Windows that joined_window does not compute.
bool run_other_window(const NchwcInt8Window& window) {
  return vnni::nchwc_int8_functions.window(window);
}

}  // namespace

const NchwcInt8Functions nchwc_int8_functions = {.tile = run_nchwc_tile,
                                                 .window = run_other_window,
                                                 .max_pixels = max_pixels,
                                                 .columns = nullptr,
                                                 .winograd = nullptr};

}  // namespace ortool::cpu::vbmi
