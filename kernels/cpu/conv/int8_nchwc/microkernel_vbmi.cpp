// Int8 NCHW16c microkernel for AVX-512 VNNI with VBMI: requantizes in fixed point, and by the float
// formula where that reports a rounding tie.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"

#define ORTOOL_ISA vbmi
#include "kernels/cpu/conv/int8_nchwc/dense_tiles.inc"
#include "kernels/cpu/epilogue/requantize_fixed_point_avx512.inc"

namespace ortool::cpu::vbmi {
namespace {

/// Requantizes tiles in fixed point.
class FixedPointFinish {
 public:
  explicit FixedPointFinish(const NchwcInt8Tile& tile)
      : tile_(tile),
        make_(tile.epilogue.range, fixed_sum_error),
        offset_(_mm512_set1_ps(make_.offset())) {
    for (int v = 0; v < tile.vectors; ++v) {
      scales_[v] =
          _mm512_mul_ps(_mm512_loadu_ps(tile.epilogue.scales + v * 16), _mm512_set1_ps(fixed_unit));
    }
  }

  /// Requantizes four pixels of channel block `v`; returns whether there may be rounding ties.
  __attribute__((always_inline)) bool make_four(const __m512i* sums, int v, uint8_t* out) const {
    __m512i bytes;
    const bool is_told = make(sums, 1, sums + 2, 1, scales_[v], scales_[v], bytes);
    _mm512_storeu_si512(out, bytes);
    return is_told;
  }
  /// Requantizes a whole tile.
  void finish(const StoredSums& stored, NchwcInt8Run& run) const {
    uint32_t told = 0;  // a bit per four pixels, from the eighth on of the second channel block
    for (int v = 0; v < tile_.vectors; ++v) {
      const __m512i* sums = stored.of(v);
      uint8_t* out = tile_.out + v * tile_.out_stride + run.out;
      const __m512 scale = scales_[v];
      for (int first = 0; first + 4 <= run.pixels; first += 4) {
        __m512i bytes;
        told |= uint32_t{make(sums + first, 1, sums + first + 2, 1, scale, scale, bytes)}
                << (v * 8 + first / 4);
        _mm512_storeu_si512(out + first * 16, bytes);
      }
    }
    finish_rest(stored, run, told);
  }
  /// Requantizes the last pixels, less than four, and finds the ties among those told.
  void finish_rest(const StoredSums& stored, NchwcInt8Run& run, uint32_t told) const {
    run.has_ties = false;
    const int whole = run.pixels / 4 * 4;
    if (whole != run.pixels) told |= make_rest(stored, run, whole);
    if (__builtin_expect(static_cast<int64_t>(told), 0) != 0) finish_told(stored, run, told);
  }

 private:
  /// Two vectors from `low` on, `low_step` apart, and two from `high` on.
  __attribute__((always_inline)) inline bool make(const __m512i* low, int low_step,
                                                  const __m512i* high, int high_step,
                                                  __m512 low_scale, __m512 high_scale,
                                                  __m512i& bytes) const {
    const auto number = [&](const __m512i& sum, __m512 scale) {
      return _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(every_lane, sum), scale, offset_);
    };
    const __m512 numbers[4] = {number(low[0], low_scale), number(low[low_step], low_scale),
                               number(high[0], high_scale), number(high[high_step], high_scale)};
    return make_.make(numbers, bytes);
  }

  /// The last pixels of a tile, less than four, of both channel blocks together if they fit.
  uint32_t make_rest(const StoredSums& stored, const NchwcInt8Run& run, int first) const {
    const int rest = run.pixels - first;
    __m512i bytes;
    uint8_t* out = tile_.out + run.out + first * 16;
    if (tile_.vectors == 2 && rest <= 2) {
      const uint32_t is_told = make(stored.of(0) + first, rest - 1, stored.of(1) + first, rest - 1,
                                    scales_[0], scales_[1], bytes);
      uint8_t* next = out + tile_.out_stride;
      const auto mask = static_cast<__mmask8>((1U << (2 * rest)) - 1U);
      _mm256_mask_storeu_epi64(out, mask, _mm512_castsi512_si256(bytes));
      _mm256_mask_storeu_epi64(next, mask, _mm512_maskz_extracti64x4_epi64(0xFF, bytes, 1));
      return is_told << (first / 4) | is_told << (8 + first / 4);
    }
    uint32_t told = 0;
    for (int v = 0; v < tile_.vectors; ++v) {
      const __m512i* sums = stored.of(v) + first;
      told |=
          uint32_t{make(sums, rest > 1 ? 1 : 0, sums + rest - 1, 0, scales_[v], scales_[v], bytes)}
          << (v * 8 + first / 4);
      store_pixels(out + v * tile_.out_stride, bytes, rest);
    }
    return told;
  }

  __attribute__((noinline)) void finish_told(const StoredSums& stored, NchwcInt8Run& run,
                                             uint32_t told) const {
    for (uint64_t& ties : run.ties) ties = 0;
    const VectorRequantizer make(tile_.epilogue.range);
    for (; told != 0; told &= told - 1) {
      const int bit = __builtin_ctz(told);
      const int v = bit / 8;
      const int first = bit % 8 * 4;
      const uint64_t ties = finish_four<true>(
          make, _mm512_loadu_ps(tile_.epilogue.scales + v * 16), stored.of(v) + first,
          run.pixels - first, tile_.out + v * tile_.out_stride + run.out + first * 16);
      run.ties[v * max_tie_words + first / 4] = ties;
      run.has_ties = run.has_ties || ties != 0;
    }
  }

  const NchwcInt8Tile& tile_;
  FixedPointRequantizer make_;
  __m512 offset_;
  __m512 scales_[2];
};

void run_tiles(const NchwcInt8Tile& tile, NchwcInt8Run* runs, int64_t count) {
  if (tile.tells_ties) {
    run_pipelined(tile, runs, count, FixedPointFinish(tile));
  } else {
    run_pipelined(tile, runs, count, FormulaFinish<false>(tile));
  }
}

/// Windows that joined_window does not compute.
bool run_other_window(const NchwcInt8Window& window) {
  return vnni::nchwc_int8_functions.window(window);
}

}  // namespace

const NchwcInt8Functions nchwc_int8_functions = {.tiles = run_tiles,
                                                 .window = run_other_window,
                                                 .max_pixels = max_pixels,
                                                 .shared_pixels = max_shared_pixels,
                                                 .shared_words = min_shared_words,
                                                 .columns = nullptr,
                                                 .winograd = nullptr};

}  // namespace ortool::cpu::vbmi
