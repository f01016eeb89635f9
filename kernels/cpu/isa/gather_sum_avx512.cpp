// Weighted sums of gathered values for AVX-512; products are rounded before the addition (no FMA).
#include <immintrin.h>

#include "kernels/cpu/isa/gather_sum.hpp"

namespace ortool::cpu::avx512 {
namespace {

void gather_sum(const GatherSum& sum) {
  for (int64_t i = 0; i < sum.count; i += 16) {
    const int64_t left = sum.count - i;
    const __mmask16 lanes = static_cast<__mmask16>(left < 16 ? (1U << left) - 1U : 0xffffU);
    __m512 value = _mm512_setzero_ps();
    for (int64_t tap = 0; tap < sum.taps; ++tap) {
      const int64_t at = tap * sum.stride + i;
      const __m512i index = _mm512_maskz_loadu_epi32(lanes, sum.index + at);
      const __mmask16 used = _mm512_mask_cmpge_epi32_mask(lanes, index, _mm512_setzero_si512());
      const __m512 from = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), used, index, sum.from, 4);
      const __m512 weight = _mm512_maskz_loadu_ps(lanes, sum.weight + at);
      value = _mm512_mask_add_ps(value, used, value, _mm512_maskz_mul_ps(used, weight, from));
    }
    _mm512_mask_storeu_ps(sum.out + i, lanes, value);
  }
}

}  // namespace

const GatherSumFunction gather_sum_function = gather_sum;

}  // namespace ortool::cpu::avx512
