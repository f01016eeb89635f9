// Quantized addition and multiplication in fixed point for AVX2, 32 elements at a time and without
// division; exact except at rounding ties.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/elementwise/binary_int8_fixed_point.hpp"

#define ORTOOL_ISA avx2
#include "kernels/cpu/epilogue/requantize_fixed_point_avx2.inc"

namespace ortool::cpu::avx2 {
namespace {

/// Converts eight int8 values of an operand to float.
inline __m256 whole_numbers(const uint8_t* from, __m256i flip, __m256i zero_point) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  const __m256i whole = _mm256_xor_si256(_mm256_cvtepu8_epi32(bytes), flip);
  return _mm256_cvtepi32_ps(_mm256_sub_epi32(whole, zero_point));
}

/// Eight values per call of `number(first)`.
template <typename Number>
inline int64_t make_bytes(const FixedPointBinary& binary, const FixedPointRequantizer& make,
                          Number number) {
  constexpr int64_t together = 32;
  int64_t done = 0;
  for (; done + together <= binary.count; done += together) {
    __m256 numbers[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) numbers[i] = number(done + i * 8);
    __m256i bytes;
    if (__builtin_expect(int{make.make(numbers, bytes)}, 0) != 0) {
      binary.compute_exactly(done, together);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(binary.out + done), bytes);
    }
  }
  return done;
}

}  // namespace

int64_t add_bytes(const FixedPointBinary& add) {
  const double a_factor = static_cast<double>(add.a_scale.scale) / add.out_scale;
  const double b_factor = static_cast<double>(add.b_scale.scale) / add.out_scale;
  const FixedPointRequantizer make(add.range, add.error);
  const double zeros = a_factor * add.a_scale.zero_point + b_factor * add.b_scale.zero_point;
  const __m256 offset = _mm256_set1_ps(static_cast<float>(make.offset() - zeros * fixed_unit));
  const __m256 by_a = _mm256_set1_ps(static_cast<float>(a_factor * fixed_unit));
  const __m256 by_b = _mm256_set1_ps(static_cast<float>(b_factor * fixed_unit));
  const __m256i a_flip = _mm256_set1_epi32(add.a_scale.flip);
  const __m256i b_flip = _mm256_set1_epi32(add.b_scale.flip);
  // The zero points are part of the offset.
  const __m256i none = _mm256_setzero_si256();
  return make_bytes(add, make, [&](int64_t first) {
    const __m256 a = whole_numbers(add.a + first, a_flip, none);
    const __m256 b = whole_numbers(add.b + first, b_flip, none);
    return _mm256_fmadd_ps(a, by_a, _mm256_fmadd_ps(b, by_b, offset));
  });
}

int64_t multiply_bytes(const FixedPointBinary& multiply) {
  const double factor =
      static_cast<double>(multiply.a_scale.scale) * multiply.b_scale.scale / multiply.out_scale;
  const FixedPointRequantizer make(multiply.range, multiply.error);
  const __m256 offset = _mm256_set1_ps(make.offset());
  const __m256 by = _mm256_set1_ps(static_cast<float>(factor * fixed_unit));
  const __m256i a_flip = _mm256_set1_epi32(multiply.a_scale.flip);
  const __m256i b_flip = _mm256_set1_epi32(multiply.b_scale.flip);
  const __m256i a_zero = _mm256_set1_epi32(multiply.a_scale.zero_point);
  const __m256i b_zero = _mm256_set1_epi32(multiply.b_scale.zero_point);
  return make_bytes(multiply, make, [&](int64_t first) {
    const __m256 a = whole_numbers(multiply.a + first, a_flip, a_zero);
    const __m256 b = whole_numbers(multiply.b + first, b_flip, b_zero);
    return _mm256_fmadd_ps(_mm256_mul_ps(a, b), by, offset);
  });
}

}  // namespace ortool::cpu::avx2
