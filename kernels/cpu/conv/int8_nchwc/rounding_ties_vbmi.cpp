// Rounding ties with VBMI: sums of 16 results in parallel, each in its own order; the inputs are
// transposed so that a vector holds one product of each result.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/rounding_ties.hpp"

namespace ortool::cpu::vbmi {
namespace {

constexpr int lanes = tie_lanes;
constexpr int block = 16;

/// 16 bytes of each lane, transposed.
struct Transposed {
  alignas(64) uint8_t bytes[block * lanes];

  /// Byte `index` of every lane.
  const uint8_t* of(int64_t index) const { return bytes + index % 4 * 64 + index / 4 * lanes; }
};

inline __m128i load_bytes(const uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

/// A word of four weights of each lane.
template <bool is_single>
inline __m512i load_words(const TieLanes& given, int64_t step, int64_t word, __m512i places) {
  const auto words_of = [&](const TiePair& pair) {
    const uint8_t* row =
        pair.weights.bytes + step * pair.weights.step + word * pair.weights.word_step;
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(row), places,
                                     _mm512_loadu_si512(row + pair.second_block));
  };
  __m512i all = words_of(given.pairs[0]);
  if (is_single) return all;
  for (int64_t i = 1; i < given.pair_count; ++i)
    all = _mm512_mask_blend_epi32(given.pairs[i].lanes, all, words_of(given.pairs[i]));
  return all;
}

/// `load(lane)` gives 16 bytes of a lane.
template <typename Load>
inline void turn(const Load& load, __m512i by_fours, Transposed& to) {
  __m512i rows[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    __m512i four = _mm512_zextsi128_si512(load(4 * i));
    four = _mm512_maskz_inserti32x4(0xFFFF, four, load(4 * i + 1), 1);
    four = _mm512_maskz_inserti32x4(0xFFFF, four, load(4 * i + 2), 2);
    four = _mm512_maskz_inserti32x4(0xFFFF, four, load(4 * i + 3), 3);
    rows[i] = _mm512_permutexvar_epi8(by_fours, four);
  }
  const __m512i low01 = _mm512_maskz_unpacklo_epi32(0xFFFF, rows[0], rows[1]);
  const __m512i high01 = _mm512_maskz_unpackhi_epi32(0xFFFF, rows[0], rows[1]);
  const __m512i low23 = _mm512_maskz_unpacklo_epi32(0xFFFF, rows[2], rows[3]);
  const __m512i high23 = _mm512_maskz_unpackhi_epi32(0xFFFF, rows[2], rows[3]);
  _mm512_store_si512(to.bytes, _mm512_maskz_unpacklo_epi64(0xFF, low01, low23));
  _mm512_store_si512(to.bytes + 64, _mm512_maskz_unpackhi_epi64(0xFF, low01, low23));
  _mm512_store_si512(to.bytes + 128, _mm512_maskz_unpacklo_epi64(0xFF, high01, high23));
  _mm512_store_si512(to.bytes + 192, _mm512_maskz_unpackhi_epi64(0xFF, high01, high23));
}

inline __m128i load_transposed(const uint8_t* from) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(from));
}

template <bool is_single>
void sum_lanes(const TieLanes& given, float* sums) {
  constexpr int words = block / 4;
  alignas(64) uint8_t order[64];
  for (int i = 0; i < 64; ++i) order[i] = static_cast<uint8_t>(i % 4 * block + i / 4);
  const __m512i by_fours = _mm512_load_si512(order);
  const __m128i image_flip = _mm_set1_epi8(static_cast<char>(given.image_flip));
  const __m512i image_zero = _mm512_set1_epi32(given.image_zero);
  const __m512 image_scale = _mm512_set1_ps(given.image_scale);
  const __m512 weight_scales = _mm512_loadu_ps(given.weight_scales);
  Transposed pixels[max_tie_taps];
  __m512i weights[max_tie_taps * words];
  const __m512i places = _mm512_loadu_si512(given.places);
  // Moves one of a word's four weights to the top.
  const __m512i shifts[4] = {_mm512_set1_epi32(24), _mm512_set1_epi32(16), _mm512_set1_epi32(8),
                             _mm512_setzero_si512()};
  __m512 all = _mm512_setzero_ps();
  const int64_t taps = given.taps;
  for (int64_t first = 0; first < given.channels; first += block) {
    const int64_t channels = given.channels - first < block ? given.channels - first : block;
    const int64_t block_index = first / block;
    const int64_t chunk = block_index / given.chunk_blocks;
    const int64_t first_word = block_index % given.chunk_blocks * (block / 4);
    for (int64_t tap = 0; tap < taps; ++tap) {
      const TiePixel* of_tap = given.pixels + tap * lanes;
      turn(
          [&](int lane) {
            return load_bytes(of_tap[lane].bytes + block_index * of_tap[lane].stride);
          },
          by_fours, pixels[tap]);
      const int64_t step = tap * given.chunks + chunk;
#pragma GCC unroll 4
      for (int word = 0; word < words; ++word) {
        weights[tap * words + word] = load_words<is_single>(given, step, first_word + word, places);
      }
    }
    for (int64_t channel = 0; channel < channels; ++channel) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        const __m128i pixel = load_transposed(pixels[tap].of(channel));
        const __m512i whole_pixel = _mm512_sub_epi32(
            _mm512_maskz_cvtepu8_epi32(0xFFFF, _mm_xor_si128(pixel, image_flip)), image_zero);
        const __m512i whole_weight = _mm512_maskz_srai_epi32(
            0xFFFF,
            _mm512_maskz_sllv_epi32(0xFFFF, weights[tap * words + channel / 4],
                                    shifts[channel % 4]),
            24);
        all = _mm512_fmadd_ps(
            _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, whole_pixel), image_scale),
            _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, whole_weight), weight_scales), all);
      }
    }
  }
  _mm512_storeu_ps(sums, all);
}

void sum_all_lanes(const TieLanes& given, float* sums) {
  return given.pair_count == 1 ? sum_lanes<true>(given, sums) : sum_lanes<false>(given, sums);
}

}  // namespace

const TieSumFunction sum_tie_lanes = sum_all_lanes;

}  // namespace ortool::cpu::vbmi
