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

inline __m128i load_lane(const uint8_t* from, __mmask16 there) {
  return _mm_maskz_loadu_epi8(there, from);
}

/// `from(lane)` is the address of a lane's bytes, of which those in `there` are read.
template <typename From>
inline void turn(const From& from, __mmask16 there, __m512i by_fours, Transposed& to) {
  __m512i rows[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    __m512i four = _mm512_zextsi128_si512(load_lane(from(4 * i), there));
    four = _mm512_maskz_inserti32x4(0xFFFF, four, load_lane(from(4 * i + 1), there), 1);
    four = _mm512_maskz_inserti32x4(0xFFFF, four, load_lane(from(4 * i + 2), there), 2);
    four = _mm512_maskz_inserti32x4(0xFFFF, four, load_lane(from(4 * i + 3), there), 3);
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

void sum_lanes(const TieLanes& given, float* sums) {
  alignas(64) uint8_t order[64];
  for (int i = 0; i < 64; ++i) order[i] = static_cast<uint8_t>(i % 4 * block + i / 4);
  const __m512i by_fours = _mm512_load_si512(order);
  const __m128i image_flip = _mm_set1_epi8(static_cast<char>(given.image_flip));
  const __m128i weight_flip = _mm_set1_epi8(static_cast<char>(given.weight_flip));
  const __m512i image_zero = _mm512_set1_epi32(given.image_zero);
  const __m512 image_scale = _mm512_set1_ps(given.image_scale);
  const __m512 weight_scales = _mm512_loadu_ps(given.weight_scales);
  Transposed pixels[max_tie_taps];
  Transposed weights[max_tie_taps];
  __m512 all = _mm512_setzero_ps();
  const int64_t taps = given.taps;
  for (int64_t first = 0; first < given.channels; first += block) {
    const int64_t channels = given.channels - first < block ? given.channels - first : block;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const TiePixel* of_tap = given.pixels + tap * lanes;
      turn([&](int lane) { return of_tap[lane].bytes + first / block * of_tap[lane].stride; },
           0xFFFF, by_fours, pixels[tap]);
    }
    const int64_t products = channels * taps;
    for (int64_t begin = 0; begin < products; begin += block) {
      const int64_t left = products - begin;
      const auto there = static_cast<__mmask16>(left >= block ? 0xFFFFU : (1U << left) - 1U);
      turn([&](int lane) { return given.weights[lane] + first * taps + begin; }, there, by_fours,
           weights[begin / block]);
    }
    int64_t product = 0;
    for (int64_t channel = 0; channel < channels; ++channel) {
      for (int64_t tap = 0; tap < taps; ++tap, ++product) {
        const __m128i pixel = load_transposed(pixels[tap].of(channel));
        const __m128i weight = load_transposed(weights[product / block].of(product % block));
        const __m512i whole_pixel = _mm512_sub_epi32(
            _mm512_maskz_cvtepu8_epi32(0xFFFF, _mm_xor_si128(pixel, image_flip)), image_zero);
        const __m512i whole_weight =
            _mm512_maskz_cvtepi8_epi32(0xFFFF, _mm_xor_si128(weight, weight_flip));
        all = _mm512_fmadd_ps(
            _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, whole_pixel), image_scale),
            _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, whole_weight), weight_scales), all);
      }
    }
  }
  _mm512_storeu_ps(sums, all);
}

}  // namespace

const TieSumFunction sum_tie_lanes = sum_lanes;

}  // namespace ortool::cpu::vbmi
