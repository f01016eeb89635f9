// Depthwise int8 NCHW16c convolution with VBMI: one byte permutation transposes four adjacent
// pixels into quads of sixteen channels. All processors with AMX have VBMI.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/depthwise_window.hpp"

#define ORTOOL_ISA vbmi
#include "kernels/cpu/conv/int8_nchwc/add_dots.inc"
#include "kernels/cpu/conv/int8_nchwc/requantize_avx512.inc"
#include "kernels/cpu/epilogue/requantize_fixed_point_avx512.inc"

namespace ortool::cpu::vbmi {
namespace {

/// Byte permutation from four pixels of sixteen channels to quads of four pixels per channel.
struct TransposeOrder {
  alignas(64) uint8_t order[64];
};
constexpr TransposeOrder make_transpose_order() {
  TransposeOrder transposed = {};
  for (int i = 0; i < 64; ++i) transposed.order[i] = static_cast<uint8_t>(i % 4 * 16 + i / 4);
  return transposed;
}
constexpr TransposeOrder transpose_order = make_transpose_order();

/// Accumulates four pixels; `in` is the start of the first window. `known`: number of quads, or 0.
template <int known>
inline void sum_four(const NchwcInt8Window& window, const uint8_t* in, __m512i order,
                     __m512i (&sums)[4]) {
  const int64_t step = window.pixel_step;
  const int64_t words = known != 0 ? known : window.words;
  const __m512i offsets = _mm512_loadu_si512(window.epilogue.offsets);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) sums[i] = offsets;
#pragma GCC unroll 3
  for (int64_t word = 0; word < words; ++word) {
    const uint8_t* from = in + window.tap_offsets[word];
    const __m512i weights = _mm512_loadu_si512(window.weights + word * 64);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const __m512i pixels = _mm512_loadu_si512(from + i * step);
      add_dots(sums[i], _mm512_permutexvar_epi8(order, pixels), weights);
    }
  }
}

/// Requantizes four pixels from `first` on by the float formula; returns the mask of rounding ties.
/// Recomputes the sums, so that the caller need not spill them.
__attribute__((noinline)) uint64_t finish_window_exactly(const NchwcInt8Window& window,
                                                         int64_t first) {
  const VectorRequantizer make(window.epilogue.range);
  const __m512 scale = _mm512_loadu_ps(window.epilogue.scales);
  __m512i sums[4];
  sum_four<0>(window, window.in + first * window.pixel_step,
              _mm512_load_si512(transpose_order.order), sums);
  const int64_t left = window.pixels - first;
  __m512 params[4];
  uint64_t near = 0;
  for (int i = 0; i < 4; ++i) {
    params[i] = make.number(sums[i], scale);
    if (i < left) near |= make.near_tie(params[i]) << (16 * i);
  }
  store_pixels(window.out + first * 16,
               _mm512_maskz_permutexvar_epi32(every_lane, by_pixels(), make.bytes(params)), left);
  return near;
}

template <int known>
bool run_joined(const NchwcInt8Window& window) {
  const FixedPointRequantizer make(window.epilogue.range, fixed_sum_error);
  const __m512i order = _mm512_load_si512(transpose_order.order);
  const __m512 offset = _mm512_set1_ps(make.offset());
  const __m512 scale =
      _mm512_mul_ps(_mm512_loadu_ps(window.epilogue.scales), _mm512_set1_ps(fixed_unit));
  uint64_t any = 0;
  for (int64_t first = 0; first < window.pixels; first += 4) {
    __m512i sums[4];
    sum_four<known>(window, window.in + first * window.pixel_step, order, sums);
    __m512 params[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      params[i] = _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(every_lane, sums[i]), scale, offset);
    }
    __m512i bytes;
    const bool is_told = make.make(params, bytes);
    store_pixels(window.out + first * 16, bytes, window.pixels - first);
    const uint64_t bits = is_told ? finish_window_exactly(window, first) : 0;
    window.ties[first / 4] = bits;
    any |= bits;
  }
  return any != 0;
}

bool run_joined_window(const NchwcInt8Window& window) {
  return window.words == 3 ? run_joined<3>(window) : run_joined<0>(window);
}

}  // namespace

const JoinedWindowFunction joined_window = run_joined_window;

}  // namespace ortool::cpu::vbmi
