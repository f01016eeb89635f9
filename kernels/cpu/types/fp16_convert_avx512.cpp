// fp16 and bfloat16 conversion of arrays for AVX-512.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/cpu/types/fp16_convert.hpp"

namespace ortool::cpu::avx512 {
namespace {

constexpr int nearest_even = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

inline __mmask16 first(int64_t count) {
  return count >= 16 ? __mmask16{0xFFFF} : static_cast<__mmask16>((1U << count) - 1U);
}

void float16_to_float(const uint16_t* in, float* out, int64_t count) {
  for (int64_t i = 0; i < count; i += 16) {
    const __mmask16 mask = first(count - i);
    _mm512_mask_storeu_ps(out + i, mask, _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, in + i)));
  }
}

void float_to_float16(const float* in, uint16_t* out, int64_t count) {
  for (int64_t i = 0; i < count; i += 16) {
    const __mmask16 mask = first(count - i);
    const __m512 value = _mm512_maskz_loadu_ps(mask, in + i);
    _mm256_mask_storeu_epi16(out + i, mask, _mm512_cvtps_ph(value, nearest_even));
  }
}

void bfloat16_to_float(const uint16_t* in, float* out, int64_t count) {
  for (int64_t i = 0; i < count; i += 16) {
    const __mmask16 mask = first(count - i);
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, in + i));
    _mm512_mask_storeu_epi32(out + i, mask, _mm512_slli_epi32(wide, 16));
  }
}

void float_to_bfloat16(const float* in, uint16_t* out, int64_t count) {
  const __m512i half = _mm512_set1_epi32(0x7FFF);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i quiet = _mm512_set1_epi32(0x40);
  for (int64_t i = 0; i < count; i += 16) {
    const __mmask16 mask = first(count - i);
    const __m512 value = _mm512_maskz_loadu_ps(mask, in + i);
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i upper = _mm512_srli_epi32(bits, 16);
    const __m512i odd = _mm512_and_si512(upper, one);
    const __m512i rounded =
        _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_add_epi32(half, odd)), 16);
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    const __m512i result = _mm512_mask_or_epi32(rounded, nan, upper, quiet);
    _mm256_mask_storeu_epi16(out + i, mask, _mm512_cvtepi32_epi16(result));
  }
}

}  // namespace

const Fp16Functions fp16_functions = {.float16_to_float = float16_to_float,
                                      .float_to_float16 = float_to_float16,
                                      .bfloat16_to_float = bfloat16_to_float,
                                      .float_to_bfloat16 = float_to_bfloat16};

}  // namespace ortool::cpu::avx512
