// Int8 GEMV for AVX-512 VNNI: quads of the rows by sixteen columns at a time.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/gemm/int8/gemv.hpp"
#include "kernels/cpu/gemm/int8/tiled_microkernel.hpp"

namespace ortool::cpu::vnni {
namespace {

constexpr int64_t line = 64;

inline __m512i splat_word(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, sizeof word);
  return _mm512_set1_epi32(word);
}

/// All rows by `panels` adjacent panels: enough independent accumulators to hide latency.
template <int rows, int panels>
inline void multiply_panels(const Int8Gemv& product, int64_t first) {
  __m512i sums[size_t{rows}][size_t{panels}];
  for (int row = 0; row < rows; ++row) {
    for (int panel = 0; panel < panels; ++panel) sums[row][panel] = _mm512_setzero_si512();
  }
  const uint8_t* b = product.b + first * product.panel_bytes;
  for (int64_t word = 0; word < product.words; ++word, b += line) {
    __m512i factors[size_t{rows}];
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row)
      factors[row] = splat_word(product.a + row * product.a_stride + word * 4);
#pragma GCC unroll 8
    for (int panel = 0; panel < panels; ++panel) {
      const __m512i columns = _mm512_loadu_si512(b + panel * product.panel_bytes);
#pragma GCC unroll 4
      for (int row = 0; row < rows; ++row)
        sums[row][panel] = _mm512_dpbusd_epi32(sums[row][panel], factors[row], columns);
    }
  }
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 8
    for (int panel = 0; panel < panels; ++panel) {
      _mm512_storeu_si512(product.sums + row * gemv_columns + (first + panel) * tile_panel_columns,
                          sums[row][panel]);
    }
  }
}

template <int rows, int panels>
void multiply_rows(const Int8Gemv& product) {
  int64_t panel = 0;
  for (; panel + panels <= product.panels; panel += panels)
    multiply_panels<rows, panels>(product, panel);
  for (; panel < product.panels; ++panel) multiply_panels<rows, 1>(product, panel);
}

}  // namespace

void multiply_int8_gemv(const Int8Gemv& product) {
  switch (product.rows) {
    case 1:
      return multiply_rows<1, 8>(product);
    case 2:
      return multiply_rows<2, 4>(product);
    case 3:
      return multiply_rows<3, 4>(product);
    default:
      return multiply_rows<4, 4>(product);
  }
}

}  // namespace ortool::cpu::vnni
