// Weighted sums of gathered values for AVX2; products are rounded before they are added (no FMA).
#include <immintrin.h>

#include "kernels/cpu/isa/gather_sum.hpp"

namespace ortool::cpu::avx2 {
namespace {

__m256i first_lanes(int64_t count) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count < 8 ? static_cast<int32_t>(count) : 8), lane);
}

void gather_sum(const GatherSum& sum) {
  for (int64_t i = 0; i < sum.count; i += 8) {
    const __m256i lanes = first_lanes(sum.count - i);
    __m256 value = _mm256_setzero_ps();
    for (int64_t tap = 0; tap < sum.taps; ++tap) {
      const int64_t at = tap * sum.stride + i;
      const __m256i index = _mm256_maskload_epi32(sum.index + at, lanes);
      const __m256i none = _mm256_srai_epi32(index, 31);
      const __m256 used = _mm256_castsi256_ps(_mm256_andnot_si256(none, lanes));
      const __m256 from = _mm256_mask_i32gather_ps(_mm256_setzero_ps(), sum.from, index, used, 4);
      const __m256 weight = _mm256_maskload_ps(sum.weight + at, lanes);
      value = _mm256_add_ps(value, _mm256_and_ps(used, _mm256_mul_ps(weight, from)));
    }
    _mm256_maskstore_ps(sum.out + i, lanes, value);
  }
}

}  // namespace

const GatherSumFunction gather_sum_function = gather_sum;

}  // namespace ortool::cpu::avx2
