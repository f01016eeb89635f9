// Int8 NCHW16c microkernel for AVX2: pairs of products are added in 16 bits, where split quads
// prevent saturation; accumulators stay in registers until they are requantized.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/conv/int8_nchwc/depthwise_by_rows.hpp"
#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/conv/int8_nchwc/winograd_transform.hpp"

#define ORTOOL_ISA avx2
#include "kernels/cpu/conv/int8_nchwc/requantize_avx2.inc"
#include "kernels/cpu/isa/built_features.hpp"
#include "kernels/cpu/isa/tile_sizes.inc"

namespace ortool::cpu::avx2 {
namespace {

constexpr int max_group_pixels = 6;

inline __m256i splat_word(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, sizeof word);
  return _mm256_set1_epi32(word);
}

template <int pixels, __m256i PixelSums::*half>
inline void add_correction(PixelSums (&sums)[size_t{pixels}], const uint8_t* begin,
                           const NchwcInt8Tile& tile, int64_t pixel_step,
                           const SaturationCorrection& again, __m256i ones) {
  const auto* factors = reinterpret_cast<const __m256i_u*>(again.weights);
  for (int64_t i = 0; i < again.count; ++i) {
    const uint8_t* in = begin + tile.offsets[again.words[i]];
#pragma GCC unroll 6
    for (int pixel = 0; pixel < pixels; ++pixel)
      add_words(sums[pixel].*half, splat_word(in + pixel * pixel_step), factors[i], ones);
  }
}

/// Computes pixels from `first` on of one vector of a tile. `step`: bytes between pixels, or 0 for
/// the tile's value. `halves`: 1 if at most eight channels are valid.
template <int pixels, int step, int halves>
bool run_group(const NchwcInt8Tile& tile, NchwcInt8Run& run, const NchwcRequantizer& requantizer,
               int vector, int64_t first) {
  const int64_t pixel_step = step != 0 ? step : tile.pixel_step;
  const uint8_t* begin = run.in + first * pixel_step;
  const __m256i ones = _mm256_set1_epi16(1);
  PixelSums sums[size_t{pixels}];
#pragma GCC unroll 6
  for (int pixel = 0; pixel < pixels; ++pixel) {
    sums[pixel].low = load_words(tile.epilogue.offsets + vector * 16);
    sums[pixel].high = load_words(tile.epilogue.offsets + vector * 16 + 8);
  }
  const auto* factors = reinterpret_cast<const __m256i_u*>(tile.weights) + 2 * vector * tile.steps;
#pragma GCC unroll 1
  for (int64_t word = 0; word < tile.steps; ++word, factors += 2) {
    const uint8_t* in = begin + tile.offsets[word];
#pragma GCC unroll 6
    for (int pixel = 0; pixel < pixels; ++pixel) {
      const __m256i four = splat_word(in + pixel * pixel_step);
      add_words(sums[pixel].low, four, factors[0], ones);
      if (halves == 2) add_words(sums[pixel].high, four, factors[1], ones);
    }
  }
  const BlockSaturationCorrection& again = tile.again[vector];
  add_correction<pixels, &PixelSums::low>(sums, begin, tile, pixel_step, again.low, ones);
  if (halves == 2)
    add_correction<pixels, &PixelSums::high>(sums, begin, tile, pixel_step, again.high, ones);
  return finish_pixels<pixels>(requantizer, sums, first,
                               tile.out + vector * tile.out_stride + run.out + first * 16,
                               run.ties + vector * max_tie_words);
}

using RunGroup = bool (*)(const NchwcInt8Tile& tile, NchwcInt8Run& run,
                          const NchwcRequantizer& requantizer, int vector, int64_t first);

/// Null if the size has no function.
template <int pixels, int step, int halves>
constexpr RunGroup group_run() {
  if constexpr (has_tile(pixels, max_group_pixels)) return run_group<pixels, step, halves>;
  return nullptr;
}

template <int step, int halves>
constexpr RunGroup group_runs[max_group_pixels] = {
    group_run<1, step, halves>(), group_run<2, step, halves>(), group_run<3, step, halves>(),
    group_run<4, step, halves>(), group_run<5, step, halves>(), group_run<6, step, halves>()};

template <int halves>
const RunGroup* group_runs_of(const NchwcInt8Tile& tile) {
  return tile.pixel_step == 16 ? group_runs<16, halves> : group_runs<0, halves>;
}

void run_tile(const NchwcInt8Tile& tile, NchwcInt8Run& run) {
  const int64_t groups = (run.pixels + max_group_pixels - 1) / max_group_pixels;
  memset(run.ties, 0, sizeof run.ties);
  run.has_ties = false;
  for (int vector = 0; vector < tile.vectors; ++vector) {
    const RunGroup* sizes =
        tile.channels - vector * 16 > 8 ? group_runs_of<2>(tile) : group_runs_of<1>(tile);
    const NchwcRequantizer requantizer(tile.epilogue.scales + vector * 16, tile.epilogue.range);
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t last = run.pixels * (group + 1) / groups;
      for (int64_t first = run.pixels * group / groups; first < last;) {
        const int64_t count = largest_tile(sizes, last - first);
        run.has_ties |= sizes[count - 1](tile, run, requantizer, vector, first);
        first += count;
      }
    }
  }
}

void run_tiles(const NchwcInt8Tile& tile, NchwcInt8Run* runs, int64_t count) {
  for (int64_t i = 0; i < count; ++i) run_tile(tile, runs[i]);
}

}  // namespace

const NchwcInt8Functions nchwc_int8_functions = {
    .tiles = run_tiles,
    .window = nullptr,
    .max_pixels = 4 * max_group_pixels,
    .shared_pixels = 0,
    .shared_words = INT64_MAX,
    .columns = &depthwise_by_rows_functions,
    .winograd = has_winograd ? &winograd_int8_functions : nullptr};

}  // namespace ortool::cpu::avx2
