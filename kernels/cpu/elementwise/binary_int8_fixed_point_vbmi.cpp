// Quantized addition and multiplication in fixed point for AVX-512 VBMI, 64 elements at a time and
// without division; exact except at rounding ties.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/elementwise/binary_int8_fixed_point.hpp"

#define ORTOOL_ISA vbmi
#include "kernels/cpu/epilogue/requantize_fixed_point_avx512.inc"

namespace ortool::cpu::vbmi {
namespace {

constexpr __mmask16 every_number = 0xFFFF;

/// Sixteen int8 values of an operand as integers. A flip of zero is left out.
template <bool has_flip>
inline __m512i whole_bytes(const uint8_t* from, __m512i flip) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m512i whole = _mm512_maskz_cvtepu8_epi32(every_number, bytes);
  return has_flip ? _mm512_xor_si512(whole, flip) : whole;
}

/// Sixteen values per call of `number(first)`.
template <typename Number>
inline int64_t make_bytes(const FixedPointBinary& binary, const FixedPointRequantizer& make,
                          Number number) {
  constexpr int64_t together = 64;
  int64_t done = 0;
  for (; done + together <= binary.count; done += together) {
    __m512 numbers[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) numbers[i] = number(done + i * 16);
    __m512i bytes;
    if (__builtin_expect(int{make.make<true>(numbers, bytes)}, 0) != 0) {
      binary.compute_exactly(done, together);
    } else {
      _mm512_storeu_si512(binary.out + done, bytes);
    }
  }
  return done;
}

/// For sums, the zero points are part of the offset.
template <bool has_flip>
int64_t add_flipped(const FixedPointBinary& add) {
  const double a_factor = static_cast<double>(add.a_scale.scale) / add.out_scale;
  const double b_factor = static_cast<double>(add.b_scale.scale) / add.out_scale;
  const FixedPointRequantizer make(add.range, add.error);
  const double zeros = a_factor * add.a_scale.zero_point + b_factor * add.b_scale.zero_point;
  const __m512 offset = _mm512_set1_ps(static_cast<float>(make.offset() - zeros * fixed_unit));
  const __m512 by_a = _mm512_set1_ps(static_cast<float>(a_factor * fixed_unit));
  const __m512 by_b = _mm512_set1_ps(static_cast<float>(b_factor * fixed_unit));
  const __m512i a_flip = _mm512_set1_epi32(add.a_scale.flip);
  const __m512i b_flip = _mm512_set1_epi32(add.b_scale.flip);
  const auto number = [](const uint8_t* from, __m512i flip) {
    return _mm512_maskz_cvtepi32_ps(every_number, whole_bytes<has_flip>(from, flip));
  };
  return make_bytes(add, make, [&](int64_t first) {
    return _mm512_fmadd_ps(number(add.a + first, a_flip), by_a,
                           _mm512_fmadd_ps(number(add.b + first, b_flip), by_b, offset));
  });
}

}  // namespace

int64_t add_bytes(const FixedPointBinary& add) {
  const bool has_flip = add.a_scale.flip != 0 || add.b_scale.flip != 0;
  return has_flip ? add_flipped<true>(add) : add_flipped<false>(add);
}

int64_t multiply_bytes(const FixedPointBinary& multiply) {
  const double factor =
      static_cast<double>(multiply.a_scale.scale) * multiply.b_scale.scale / multiply.out_scale;
  const FixedPointRequantizer make(multiply.range, multiply.error);
  const __m512 offset = _mm512_set1_ps(make.offset());
  const __m512 by = _mm512_set1_ps(static_cast<float>(factor * fixed_unit));
  const __m512i a_flip = _mm512_set1_epi32(multiply.a_scale.flip);
  const __m512i b_flip = _mm512_set1_epi32(multiply.b_scale.flip);
  const __m512i a_zero = _mm512_set1_epi32(multiply.a_scale.zero_point);
  const __m512i b_zero = _mm512_set1_epi32(multiply.b_scale.zero_point);
  const auto number = [](const uint8_t* from, __m512i flip, __m512i zero_point) {
    return _mm512_maskz_cvtepi32_ps(every_number,
                                    _mm512_sub_epi32(whole_bytes<true>(from, flip), zero_point));
  };
  return make_bytes(multiply, make, [&](int64_t first) {
    const __m512 a = number(multiply.a + first, a_flip, a_zero);
    const __m512 b = number(multiply.b + first, b_flip, b_zero);
    return _mm512_fmadd_ps(_mm512_mul_ps(a, b), by, offset);
  });
}

}  // namespace ortool::cpu::vbmi
