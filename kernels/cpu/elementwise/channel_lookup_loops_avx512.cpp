// Per-channel lookup for AVX-512, sixteen channels of a pixel at a time: gathers words of four
// entries and shifts the wanted one down.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/cpu/elementwise/channel_lookup_loops.hpp"

namespace ortool::cpu::avx512 {

void look_up_pixels(const uint8_t* in, const uint8_t* tables, const int32_t* offsets,
                    int64_t pixels, uint8_t* out) {
  const __m512i starts = _mm512_loadu_si512(offsets);
  const __m512i three = _mm512_set1_epi32(3);
  for (int64_t p = 0; p < pixels; ++p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 16 * p));
    const __m512i entries =
        _mm512_maskz_add_epi32(0xFFFF, _mm512_maskz_cvtepu8_epi32(0xFFFF, bytes), starts);
    const __m512i words = _mm512_mask_i32gather_epi32(
        _mm512_setzero_si512(), 0xFFFF, _mm512_andnot_si512(three, entries), tables, 1);
    const __m512i shifts = _mm512_slli_epi32(_mm512_and_si512(entries, three), 3);
    const __m512i found = _mm512_maskz_srlv_epi32(0xFFFF, words, shifts);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * p),
                     _mm512_maskz_cvtepi32_epi8(0xFFFF, found));
  }
}

}  // namespace ortool::cpu::avx512
