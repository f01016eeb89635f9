// Lookup table for AVX2: 32 bytes at a time through sixteen tables of sixteen entries. Each table
// but the first of each half holds the XOR with the one before, so XORing all tables up to an
// index's own gives its entry; later tables see a negative index, for which the shuffle gives 0.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/cpu/elementwise/lookup_table.hpp"

namespace ortool::cpu::avx2 {

void look_up_table(const uint8_t* in, const uint8_t* table, int64_t count, uint8_t* out) {
  constexpr int parts = 8;
  __m256i low[parts];
  __m256i high[parts];
  const auto part = [&](int index) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + index * 16)));
  };
  for (int i = 0; i < parts; ++i) {
    low[i] = i == 0 ? part(0) : _mm256_xor_si256(part(i), part(i - 1));
    high[i] = i == 0 ? part(parts) : _mm256_xor_si256(part(parts + i), part(parts + i - 1));
  }
  const __m256i sixteen = _mm256_set1_epi8(16);
  const __m256i top = _mm256_set1_epi8(static_cast<char>(0x80));
  int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    __m256i from_low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
    __m256i from_high = _mm256_xor_si256(from_low, top);
    __m256i found = _mm256_setzero_si256();
    for (int k = 0; k < parts; ++k) {
      found = _mm256_xor_si256(found, _mm256_shuffle_epi8(low[k], from_low));
      found = _mm256_xor_si256(found, _mm256_shuffle_epi8(high[k], from_high));
      from_low = _mm256_subs_epi8(from_low, sixteen);
      from_high = _mm256_subs_epi8(from_high, sixteen);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), found);
  }
  for (; i < count; ++i) out[i] = table[in[i]];
}

}  // namespace ortool::cpu::avx2
