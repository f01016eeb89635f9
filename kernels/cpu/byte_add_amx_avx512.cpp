// Sums of bytes in fixed point, 64 at a time, without a division: exact but near halves.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/byte_add.hpp"

#define ORTOOL_ISA amx_avx512
#include "kernels/cpu/fixed_bytes.inc"

namespace ortool::cpu::amx_avx512 {
namespace {

/// How far a number of 16 bits of fraction may be off: operands and sums of up to 2^27.2 are
/// rounded by up to 8 three times, factors by up to 4 twice; the quotient itself by 4.
constexpr float add_error = 40.0F;

/// Sixteen bytes of an operand as whole numbers; the zero point counts elsewhere.
inline __m512 whole_numbers(const uint8_t* from, __m512i flip) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return _mm512_maskz_cvtepi32_ps(
      0xFFFF, _mm512_xor_si512(_mm512_maskz_cvtepu8_epi32(0xFFFF, bytes), flip));
}

}  // namespace

int64_t add_bytes(const ByteAdd& add) {
  const double a_factor = static_cast<double>(add.a_scale.scale) / add.out_scale;
  const double b_factor = static_cast<double>(add.b_scale.scale) / add.out_scale;
  const FixedBytes make(add.range, add_error);
  const double zeros = a_factor * add.a_scale.zero_point + b_factor * add.b_scale.zero_point;
  const __m512 offset = _mm512_set1_ps(static_cast<float>(make.offset() - zeros * fixed_unit));
  const __m512 by_a = _mm512_set1_ps(static_cast<float>(a_factor * fixed_unit));
  const __m512 by_b = _mm512_set1_ps(static_cast<float>(b_factor * fixed_unit));
  const __m512i a_flip = _mm512_set1_epi32(add.a_scale.flip);
  const __m512i b_flip = _mm512_set1_epi32(add.b_scale.flip);
  int64_t done = 0;
  for (; done + 64 <= add.count; done += 64) {
    __m512 numbers[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const __m512 a = whole_numbers(add.a + done + i * 16, a_flip);
      const __m512 b = whole_numbers(add.b + done + i * 16, b_flip);
      numbers[i] = _mm512_fmadd_ps(a, by_a, _mm512_fmadd_ps(b, by_b, offset));
    }
    __m512i bytes;
    if (make.make(numbers, bytes)) return done;
    _mm512_storeu_si512(add.out + done, bytes);
  }
  return done;
}

}  // namespace ortool::cpu::amx_avx512
