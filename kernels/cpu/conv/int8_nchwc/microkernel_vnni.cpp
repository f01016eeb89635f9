// Int8 NCHW16c microkernel for AVX-512 VNNI.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"

#define ORTOOL_ISA vnni
#include "kernels/cpu/conv/int8_nchwc/dense_tiles.inc"

namespace ortool::cpu::vnni {
namespace {

void run_tiles(const NchwcInt8Tile& tile, NchwcInt8Run* runs, int64_t count) {
  if (tile.tells_ties) {
    run_pipelined(tile, runs, count, FormulaFinish<true>(tile));
  } else {
    run_pipelined(tile, runs, count, FormulaFinish<false>(tile));
  }
}

/// Loads four pixels of 16 channels each.
template <int step>
inline __m512i load_pixels(const uint8_t* from, int64_t pixel_step) {
  if (step == 16) return load_block(from);
  if (step == 32)
    return _mm512_maskz_shuffle_i32x4(every_lane, load_block(from), load_block(from + 64), 0x88);
  const auto pixel = [&](int64_t index) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + index * pixel_step));
  };
  __m512i four = _mm512_zextsi128_si512(pixel(0));
  four = _mm512_maskz_inserti32x4(every_lane, four, pixel(1), 1);
  four = _mm512_maskz_inserti32x4(every_lane, four, pixel(2), 2);
  return _mm512_maskz_inserti32x4(every_lane, four, pixel(3), 3);
}

template <int step>
bool run_steps(const NchwcInt8Window& window) {
  const VectorRequantizer make(window.epilogue.range);
  __m512i offsets[4];
  __m512 scales[4];
  for (int part = 0; part < 4; ++part) {
    offsets[part] = _mm512_maskz_broadcast_i32x4(
        every_lane,
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(window.epilogue.offsets + part * 4)));
    scales[part] =
        _mm512_maskz_broadcast_f32x4(every_lane, _mm_loadu_ps(window.epilogue.scales + part * 4));
  }
  bool has_ties = false;
  for (int64_t first = 0; first < window.pixels; first += 4) {
    const uint8_t* in = window.in + first * window.pixel_step;
    __m512i sums[4] = {offsets[0], offsets[1], offsets[2], offsets[3]};
    const int64_t* taps = window.tap_offsets;
    const uint8_t* weights = window.weights;
    for (int64_t word = 0; word < window.words; ++word, taps += 4, weights += 256) {
      const __m512i a = load_pixels<step>(in + taps[0], window.pixel_step);
      const __m512i b = load_pixels<step>(in + taps[1], window.pixel_step);
      const __m512i c = load_pixels<step>(in + taps[2], window.pixel_step);
      const __m512i d = load_pixels<step>(in + taps[3], window.pixel_step);
      const __m512i low_ab = _mm512_unpacklo_epi8(a, b);
      const __m512i high_ab = _mm512_unpackhi_epi8(a, b);
      const __m512i low_cd = _mm512_unpacklo_epi8(c, d);
      const __m512i high_cd = _mm512_unpackhi_epi8(c, d);
      add_dots(sums[0], _mm512_unpacklo_epi16(low_ab, low_cd), load_block(weights));
      add_dots(sums[1], _mm512_unpackhi_epi16(low_ab, low_cd), load_block(weights + 64));
      add_dots(sums[2], _mm512_unpacklo_epi16(high_ab, high_cd), load_block(weights + 128));
      add_dots(sums[3], _mm512_unpackhi_epi16(high_ab, high_cd), load_block(weights + 192));
    }
    __m512 params[4];
#pragma GCC unroll 4
    for (int part = 0; part < 4; ++part) params[part] = make.number(sums[part], scales[part]);
    const int64_t left = window.pixels - first;
    store_pixels(window.out + first * 16, make.bytes(params), left);
    uint64_t bits = 0;
    if (make.is_near_tie(params)) {
      // Quads of four channels of four pixels each, to be permuted into pixel order.
      for (int part = 0; part < 4; ++part) {
        const uint64_t near = make.near_tie(params[part]);
        for (int pixel = 0; pixel < 4 && pixel < left; ++pixel)
          bits |= (near >> (4 * pixel) & 15U) << (16 * pixel + 4 * part);
      }
    }
    window.ties[first / 4] = bits;
    has_ties |= bits != 0;
  }
  return has_ties;
}

bool run_nchwc_window(const NchwcInt8Window& window) {
  if (window.pixel_step == 16) return run_steps<16>(window);
  if (window.pixel_step == 32) return run_steps<32>(window);
  return run_steps<0>(window);
}

}  // namespace

const NchwcInt8Functions nchwc_int8_functions = {.tiles = run_tiles,
                                                 .window = run_nchwc_window,
                                                 .max_pixels = max_pixels,
                                                 .shared_pixels = max_shared_pixels,
                                                 .shared_words = min_shared_words,
                                                 .columns = nullptr,
                                                 .winograd = nullptr};

}  // namespace ortool::cpu::vnni
