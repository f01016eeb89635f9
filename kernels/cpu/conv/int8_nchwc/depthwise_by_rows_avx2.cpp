// Depthwise int8 NCHW16c convolution for AVX2: four rows are transposed into quads of vertically
// adjacent pixels, so that all kernel columns read the same quads at different offsets.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/conv/int8_nchwc/depthwise_by_rows.hpp"
#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"

#define ORTOOL_ISA avx2
#include "kernels/cpu/conv/int8_nchwc/requantize_avx2.inc"

namespace ortool::cpu::avx2 {
namespace {

constexpr int max_row_pixels = 4;
constexpr int64_t pixel_words = 64;  ///< bytes of a pixel's quads

/// Stores quads of four channels of two pixels, then of the next four channels, in 32-byte stores
/// since they are read again soon.
inline void store_words(uint8_t* to, __m256i first, __m256i second) {
  auto* out = reinterpret_cast<__m256i*>(to);
  _mm256_storeu_si256(out, _mm256_permute2x128_si256(first, second, 0x20));
  _mm256_storeu_si256(out + 2, _mm256_permute2x128_si256(first, second, 0x31));
}

void turn_two(const RowTranspose& turn, int64_t pixel, __m256i flip) {
  const auto row = [&](int index) {
    return _mm256_xor_si256(load_words(turn.rows[index] + pixel * 16), flip);
  };
  const __m256i a = row(0);
  const __m256i b = row(1);
  const __m256i c = row(2);
  const __m256i d = row(3);
  const __m256i low_ab = _mm256_unpacklo_epi8(a, b);
  const __m256i high_ab = _mm256_unpackhi_epi8(a, b);
  const __m256i low_cd = _mm256_unpacklo_epi8(c, d);
  const __m256i high_cd = _mm256_unpackhi_epi8(c, d);
  uint8_t* to = turn.out + pixel * pixel_words;
  store_words(to, _mm256_unpacklo_epi16(low_ab, low_cd), _mm256_unpackhi_epi16(low_ab, low_cd));
  store_words(to + 32, _mm256_unpacklo_epi16(high_ab, high_cd),
              _mm256_unpackhi_epi16(high_ab, high_cd));
}

void transpose_rows(const RowTranspose& turn) {
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(turn.flip));
  for (int64_t pixel = 0; pixel + 2 <= turn.pixels; pixel += 2) turn_two(turn, pixel, flip);
  if (turn.pixels % 2 == 0) return;
  // An odd last pixel is processed again together with the one before, if there is one.
  if (turn.pixels > 1) return turn_two(turn, turn.pixels - 2, flip);
  for (int channel = 0; channel < 16; ++channel) {
    for (int row = 0; row < 4; ++row)
      turn.out[channel * 4 + row] = static_cast<uint8_t>(turn.rows[row][channel] ^ turn.flip);
  }
}

template <int pixels, int halves>
inline void add_columns(PixelSums (&sums)[size_t{pixels}], const uint8_t* in, int64_t pixel_step,
                        const uint8_t* weights) {
  const auto* factors = reinterpret_cast<const __m256i_u*>(weights);
  const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 4
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const uint8_t* from = in + pixel * pixel_step;
    add_words(sums[pixel].low, load_words(from), factors[0], ones);
    if (halves == 2) add_words(sums[pixel].high, load_words(from + 32), factors[1], ones);
  }
}

template <int pixels, __m256i PixelSums::*half>
inline void add_correction(PixelSums (&sums)[size_t{pixels}], const uint8_t* in,
                           const RowConvolution& row, const SaturationCorrection& again) {
  const auto* factors = reinterpret_cast<const __m256i_u*>(again.weights);
  const __m256i ones = _mm256_set1_epi16(1);
  for (int64_t i = 0; i < again.count; ++i) {
    const uint8_t* from = in + row.offsets[again.words[i]];
#pragma GCC unroll 4
    for (int pixel = 0; pixel < pixels; ++pixel)
      add_words(sums[pixel].*half, load_words(from + pixel * row.pixel_step), factors[i], ones);
  }
}

template <int pixels, int halves>
bool run_some(const RowConvolution& row, const NchwcRequantizer& requantizer, int64_t first) {
  const uint8_t* in = row.in + first * row.pixel_step;
  PixelSums sums[size_t{pixels}];
#pragma GCC unroll 4
  for (int pixel = 0; pixel < pixels; ++pixel) {
    sums[pixel].low = load_words(row.epilogue.offsets);
    sums[pixel].high = load_words(row.epilogue.offsets + 8);
  }
  for (int64_t word = 0; word < row.words; ++word) {
    add_columns<pixels, halves>(sums, in + row.offsets[word], row.pixel_step,
                                row.weights + word * pixel_words);
  }
  add_correction<pixels, &PixelSums::low>(sums, in, row, row.again.low);
  if (halves == 2)
    add_correction<pixels, &PixelSums::high>(sums, in + pixel_words / 2, row, row.again.high);
  return finish_pixels<pixels>(requantizer, sums, first, row.out + first * 16, row.ties);
}

/// `halves`: 1 if at most eight channels are valid.
template <int halves>
bool run_halves(const RowConvolution& row) {
  memset(row.ties, 0, static_cast<size_t>(row.pixels + 3) / 4 * sizeof *row.ties);
  const NchwcRequantizer requantizer(row.epilogue.scales, row.epilogue.range);
  bool has_ties = false;
  int64_t first = 0;
  for (; first + max_row_pixels <= row.pixels; first += max_row_pixels)
    has_ties |= run_some<max_row_pixels, halves>(row, requantizer, first);
  switch (row.pixels - first) {
    case 3:
      return run_some<3, halves>(row, requantizer, first) || has_ties;
    case 2:
      return run_some<2, halves>(row, requantizer, first) || has_ties;
    case 1:
      return run_some<1, halves>(row, requantizer, first) || has_ties;
    default:
      return has_ties;
  }
}

bool run_row(const RowConvolution& row) {
  return row.channels > 8 ? run_halves<2>(row) : run_halves<1>(row);
}

}  // namespace

const DepthwiseByRowsFunctions depthwise_by_rows_functions = {.turn = transpose_rows,
                                                              .run = run_row};

}  // namespace ortool::cpu::avx2
