// Dense convolutions of blocked bytes with AVX2: pairs of products are summed up in 16 bits, which
// split words keep from running over, and sums stay in registers until they are bytes.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/blocked_byte_tile.hpp"
#include "kernels/cpu/byte_winograd.hpp"

#define ORTOOL_ISA avx2
#include "kernels/cpu/blocked_byte_maker_avx2.inc"

namespace ortool::cpu::avx2 {
namespace {

constexpr int most_group_pixels = 6;
constexpr int64_t word_weights = 64;

inline __m256i splat_word(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, sizeof word);
  return _mm256_set1_epi32(word);
}

template <int pixels>
inline void add_word(PixelSums (&sums)[size_t{pixels}], const uint8_t* in, int64_t pixel_step,
                     const uint8_t* weights, __m256i ones) {
  const auto* factors = reinterpret_cast<const __m256i_u*>(weights);
#pragma GCC unroll 6
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const __m256i four = splat_word(in + pixel * pixel_step);
    add_words(sums[pixel].low, four, factors[0], ones);
    add_words(sums[pixel].high, four, factors[1], ones);
  }
}

template <int pixels, __m256i PixelSums::*half>
inline void add_again(PixelSums (&sums)[size_t{pixels}], const uint8_t* begin,
                      const BlockedByteTile& tile, int64_t pixel_step, const ByteWordsAgain& again,
                      __m256i ones) {
  const auto* factors = reinterpret_cast<const __m256i_u*>(again.weights);
  for (int64_t i = 0; i < again.count; ++i) {
    const int32_t word = again.words[i];
    const uint8_t* in = begin + tile.offsets[word / 4] + word % 4 * 4;
#pragma GCC unroll 6
    for (int pixel = 0; pixel < pixels; ++pixel)
      add_words(sums[pixel].*half, splat_word(in + pixel * pixel_step), factors[i], ones);
  }
}

/// Pixels from `first` on of one vector of a tile. `step`: bytes from a pixel to the next, or 0
/// where the tile says so.
template <int pixels, int step>
bool run_group(const BlockedByteTile& tile, int vector, int64_t first) {
  const int64_t pixel_step = step != 0 ? step : tile.pixel_step;
  const uint8_t* begin = tile.in + first * pixel_step;
  const __m256i ones = _mm256_set1_epi16(1);
  PixelSums sums[size_t{pixels}];
#pragma GCC unroll 6
  for (int pixel = 0; pixel < pixels; ++pixel) {
    sums[pixel].low = load_words(tile.finish.offsets + vector * 16);
    sums[pixel].high = load_words(tile.finish.offsets + vector * 16 + 8);
  }
  const uint8_t* weights = tile.weights + vector * tile.blocks * 4 * word_weights;
  for (int64_t block = 0; block < tile.blocks; ++block) {
    const uint8_t* in = begin + tile.offsets[block];
#pragma GCC unroll 1
    for (int word = 0; word < 4; ++word)
      add_word<pixels>(sums, in + word * 4, pixel_step, weights + word * word_weights, ones);
    weights += 4 * word_weights;
  }
  add_again<pixels, &PixelSums::low>(sums, begin, tile, pixel_step, tile.again[vector].low, ones);
  add_again<pixels, &PixelSums::high>(sums, begin, tile, pixel_step, tile.again[vector].high, ones);
  BlockedByteFinish finish = tile.finish;
  finish.scales += vector * 16;
  return finish_pixels<pixels>(BlockByteMaker(finish), sums, first,
                               tile.out + vector * tile.out_stride + first * 16,
                               tile.doubts + vector * most_doubt_words);
}

using RunGroup = bool (*)(const BlockedByteTile& tile, int vector, int64_t first);

template <int step>
constexpr RunGroup group_runs[most_group_pixels] = {run_group<1, step>, run_group<2, step>,
                                                    run_group<3, step>, run_group<4, step>,
                                                    run_group<5, step>, run_group<6, step>};

bool run_blocked_tile(const BlockedByteTile& tile) {
  const RunGroup* runs = tile.pixel_step == 16 ? group_runs<16> : group_runs<0>;
  const int64_t groups = (tile.pixels + most_group_pixels - 1) / most_group_pixels;
  memset(tile.doubts, 0, 2 * most_doubt_words * sizeof *tile.doubts);
  bool has_doubts = false;
  for (int vector = 0; vector < tile.vectors; ++vector) {
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t first = tile.pixels * group / groups;
      const int64_t count = tile.pixels * (group + 1) / groups - first;
      has_doubts |= runs[count - 1](tile, vector, first);
    }
  }
  return has_doubts;
}

}  // namespace

const BlockedByteFunctions blocked_byte_functions = {.tile = run_blocked_tile,
                                                     .window = nullptr,
                                                     .most_pixels = 2 * most_group_pixels,
                                                     .columns = &byte_column_functions,
                                                     .winograd = &byte_winograd_functions};

}  // namespace ortool::cpu::avx2
