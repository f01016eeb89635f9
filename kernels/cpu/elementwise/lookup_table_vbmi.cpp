// Lookup table for VBMI, 64 bytes at a time: the table takes four registers, two for each value of
// the index's top bit.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/cpu/elementwise/lookup_table.hpp"

namespace ortool::cpu::vbmi {

void look_up_table(const uint8_t* in, const uint8_t* table, int64_t count, uint8_t* out) {
  const __m512i parts[4] = {_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                            _mm512_loadu_si512(table + 128), _mm512_loadu_si512(table + 192)};
  const auto look_up = [&](__m512i bytes) {
    const __m512i low = _mm512_permutex2var_epi8(parts[0], bytes, parts[1]);
    const __m512i high = _mm512_permutex2var_epi8(parts[2], bytes, parts[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high);
  };
  int64_t i = 0;
  for (; i + 64 <= count; i += 64)
    _mm512_storeu_si512(out + i, look_up(_mm512_loadu_si512(in + i)));
  if (i == count) return;
  const __mmask64 rest = (uint64_t{1} << (count - i)) - 1;
  _mm512_mask_storeu_epi8(out + i, rest, look_up(_mm512_maskz_loadu_epi8(rest, in + i)));
}

}  // namespace ortool::cpu::vbmi
