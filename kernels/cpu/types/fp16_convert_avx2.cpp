// fp16 and bfloat16 conversion of arrays for AVX2 with F16C.
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/types/fp16_convert.hpp"

namespace ortool::cpu::avx2 {
namespace {

inline __m128i load_fp16(const uint16_t* in, int64_t count) {
  uint16_t part[8] = {};
  const uint16_t* from = in;
  if (count < 8) {
    memcpy(part, in, static_cast<size_t>(count) * sizeof part[0]);
    from = part;
  }
  __m128i value;
  memcpy(&value, from, sizeof value);
  return value;
}

inline void store_fp16(uint16_t* out, int64_t count, __m128i value) {
  memcpy(out, &value, count < 8 ? static_cast<size_t>(count) * sizeof out[0] : sizeof value);
}

inline __m256 load_floats(const float* in, int64_t count) {
  float part[8] = {};
  if (count >= 8) return _mm256_loadu_ps(in);
  memcpy(part, in, static_cast<size_t>(count) * sizeof part[0]);
  return _mm256_loadu_ps(part);
}

inline void store_floats(float* out, int64_t count, __m256 value) {
  memcpy(out, &value, count < 8 ? static_cast<size_t>(count) * sizeof out[0] : sizeof value);
}

void float16_to_float(const uint16_t* in, float* out, int64_t count) {
  for (int64_t i = 0; i < count; i += 8) {
    store_floats(out + i, count - i, _mm256_cvtph_ps(load_fp16(in + i, count - i)));
  }
}

void float_to_float16(const float* in, uint16_t* out, int64_t count) {
  constexpr int nearest_even = _MM_FROUND_TO_NEAREST_INT;
  for (int64_t i = 0; i < count; i += 8) {
    const __m256 value = load_floats(in + i, count - i);
    store_fp16(out + i, count - i, _mm256_cvtps_ph(value, nearest_even));
  }
}

void bfloat16_to_float(const uint16_t* in, float* out, int64_t count) {
  for (int64_t i = 0; i < count; i += 8) {
    const __m256i wide = _mm256_cvtepu16_epi32(load_fp16(in + i, count - i));
    store_floats(out + i, count - i, _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
  }
}

void float_to_bfloat16(const float* in, uint16_t* out, int64_t count) {
  const __m256i half = _mm256_set1_epi32(0x7FFF);
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i quiet = _mm256_set1_epi32(0x40);
  for (int64_t i = 0; i < count; i += 8) {
    const __m256 value = load_floats(in + i, count - i);
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i upper = _mm256_srli_epi32(bits, 16);
    const __m256i odd = _mm256_and_si256(upper, one);
    const __m256i rounded =
        _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(half, odd)), 16);
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i result = _mm256_blendv_epi8(rounded, _mm256_or_si256(upper, quiet), nan);
    store_fp16(
        out + i, count - i,
        _mm_packus_epi32(_mm256_castsi256_si128(result), _mm256_extracti128_si256(result, 1)));
  }
}

}  // namespace

const Fp16Functions fp16_functions = {.float16_to_float = float16_to_float,
                                      .float_to_float16 = float_to_float16,
                                      .bfloat16_to_float = bfloat16_to_float,
                                      .float_to_bfloat16 = float_to_bfloat16};

}  // namespace ortool::cpu::avx2
