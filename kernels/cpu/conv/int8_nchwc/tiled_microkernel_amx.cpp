// AMX microkernel of int8 NCHW16c convolution: while the tiles accumulate one group of pixels,
// vector code requantizes the previous one.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/conv/int8_nchwc/tiled_microkernel.hpp"

#define ORTOOL_ISA amx
#include "kernels/cpu/conv/int8_nchwc/requantize_avx512.inc"
#include "kernels/cpu/epilogue/requantize_fixed_point_avx512.inc"
#include "kernels/cpu/isa/amx_tiles.inc"

namespace ortool::cpu::amx {
namespace {

// Tiles 0 to 3 accumulate two tiles of pixels (4, 5) by two tiles of weights (6, 7).

void begin(int32_t pixel_bytes) {
  TileShapes shapes;
  for (int pixels = 4; pixels < 6; ++pixels) shapes.set(pixels, tile_rows, pixel_bytes);
  for (int weights = 6; weights < 8; ++weights)
    shapes.set(weights, pixel_bytes / 4, tile_row_bytes);
  take_tiles(shapes);
}

void end() {
  release_tiles();
}

/// Accumulators of one group: 32 pixels of 16 channels for each channel block.
struct alignas(64) GroupSums {
  int32_t sums[2][max_tiled_pixels][16];
};

/// A group with finished accumulators that await requantization, four pixels at a time.
struct PendingGroup {
  const TiledPixels* group = nullptr;
  const GroupSums* sums = nullptr;
  int64_t fours = 0;
};

/// Requantization state. `told` marks rounding ties: bit 8 * block + index of the four pixels in
/// the group.
struct GroupRequantizer {
  FixedPointRequantizer make;
  __m512 offset;
  __m512 scales[2];  ///< times fixed_unit
  uint8_t* out;
  int64_t out_stride;
  int64_t fours_a_step;
  uint64_t told;
};

/// Requantizes four pixels.
template <int vectors>
inline void finish_four(GroupRequantizer& requantizer, const PendingGroup& rest, int64_t four) {
  const uint16_t* places = rest.group->places + four * 4;
  const auto left = static_cast<unsigned>(rest.group->count - four * 4);
  const auto pixels = static_cast<__mmask16>(left >= 4 ? 0xFFFFU : (1U << (left * 4)) - 1U);
  uint8_t* out = requantizer.out + (rest.group->first + four * 4) * 16;
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    const auto* of_block = reinterpret_cast<const uint8_t*>(rest.sums->sums[v]);
    __m512 params[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const __m512 sums =
          _mm512_maskz_cvtepi32_ps(every_lane, _mm512_load_si512(of_block + places[i]));
      params[i] = _mm512_fmadd_ps(sums, requantizer.scales[v], requantizer.offset);
    }
    __m512i bytes;
    const bool has_ties = requantizer.make.make(params, bytes);
    _mm512_mask_storeu_epi32(out + v * requantizer.out_stride, pixels, bytes);
    requantizer.told |= uint64_t{has_ties} << (8 * v + four);
  }
}

/// Requantizes four pixels of one channel block by the float formula; writes ties to `to`.
RoundingTie* finish_exactly(const NchwcTiledProduct& product, const PendingGroup& rest, int64_t v,
                            int64_t four, RoundingTie* to) {
  const VectorRequantizer make(product.epilogue.range);
  const __m512 scale = _mm512_loadu_ps(product.epilogue.scales + v * 16);
  const auto* of_block = reinterpret_cast<const uint8_t*>(rest.sums->sums[v]);
  __m512 params[4];
  for (int i = 0; i < 4; ++i) {
    const __m512i sums = _mm512_load_si512(of_block + rest.group->places[four * 4 + i]);
    params[i] = make.number(sums, scale);
  }
  const int64_t left = rest.group->count - four * 4;
  const int64_t first = rest.group->first + four * 4;
  store_pixels(product.out + v * product.out_stride + first * 16,
               _mm512_maskz_permutexvar_epi32(every_lane, by_pixels(), make.bytes(params)), left);
  for (int i = 0; i < 4 && i < left; ++i) {
    for (uint64_t bits = make.near_tie(params[i]); bits != 0; bits &= bits - 1) {
      *to++ = {static_cast<int32_t>(v) * 16 + __builtin_ctzll(bits),
               static_cast<int32_t>(first + i)};
    }
  }
  return to;
}

__attribute__((noinline)) RoundingTie* finish_told(const NchwcTiledProduct& product,
                                                   const PendingGroup& rest, uint64_t told,
                                                   RoundingTie* to) {
  for (; told != 0; told &= told - 1) {
    const int64_t bit = __builtin_ctzll(told);
    to = finish_exactly(product, rest, bit / 8, bit % 8, to);
  }
  return to;
}

/// `halves`: number of 16-pixel halves in the group. Meanwhile requantizes the previous group.
template <int vectors, int halves>
inline void multiply_group(const NchwcTiledProduct& product, const TiledPixels& group,
                           GroupSums& sums, const PendingGroup& before,
                           GroupRequantizer& requantizer) {
  const int64_t pixel_bytes = product.pixel_bytes;
  const uint8_t* pixels = product.pixels + group.start * pixel_bytes;
  const uint8_t* weights = product.weights;
  const int32_t* offsets = product.epilogue.offsets;
  const int64_t steps = product.steps;
  const int64_t* step_offsets = product.offsets;
  // Prefetch distance for the weights, which the first group of a call reads from memory.
  constexpr int64_t ahead = 16384;
  const bool is_first = before.group == nullptr;
  // Accumulators start with the offsets of their channels, in all rows.
  load_tile<0>(offsets, 0);
  if (vectors == 2) load_tile<1>(offsets + 16, 0);
  if (halves == 2) load_tile<2>(offsets, 0);
  if (vectors == 2 && halves == 2) load_tile<3>(offsets + 16, 0);
  int64_t four = 0;
  for (int64_t step = 0; step < steps; ++step) {
    const uint8_t* from = pixels + step_offsets[step];
    load_tile<4>(from, pixel_bytes);
    load_tile<6>(weights, 64);
    if (vectors == 2) load_tile<7>(weights + pixel_bytes * 16, 64);
    if (halves == 2) load_tile<5>(from + 16 * pixel_bytes, pixel_bytes);
    add_unsigned_signed<0, 4, 6>();
    if (vectors == 2) add_unsigned_signed<1, 4, 7>();
    if (halves == 2) add_unsigned_signed<2, 5, 6>();
    if (vectors == 2 && halves == 2) add_unsigned_signed<3, 5, 7>();
    if (is_first) {
      for (int64_t line = 0; line < vectors * pixel_bytes * 16; line += 64)
        _mm_prefetch(reinterpret_cast<const char*>(weights + ahead + line), _MM_HINT_T1);
    }
    weights += vectors * pixel_bytes * 16;
    const int64_t end = four + requantizer.fours_a_step < before.fours
                            ? four + requantizer.fours_a_step
                            : before.fours;
    for (; four < end; ++four) finish_four<vectors>(requantizer, before, four);
  }
  store_tile<0>(sums.sums[0], 64);
  if (vectors == 2) store_tile<1>(sums.sums[1], 64);
  if (halves == 2) store_tile<2>(sums.sums[0] + 16, 64);
  if (vectors == 2 && halves == 2) store_tile<3>(sums.sums[1] + 16, 64);
}

template <int vectors>
int64_t multiply(const NchwcTiledProduct& product) {
  GroupSums sums[2];
  GroupRequantizer requantizer = {FixedPointRequantizer(product.epilogue.range, fixed_sum_error),
                                  {},
                                  {},
                                  product.out,
                                  product.out_stride,
                                  (max_tiled_pixels / 4 + product.steps - 1) / product.steps,
                                  0};
  requantizer.offset = _mm512_set1_ps(requantizer.make.offset());
  for (int v = 0; v < vectors; ++v) {
    requantizer.scales[v] = _mm512_mul_ps(_mm512_loadu_ps(product.epilogue.scales + v * 16),
                                          _mm512_set1_ps(fixed_unit));
  }
  RoundingTie* ties = product.ties;
  PendingGroup before;
  const auto tell = [&] {
    if (requantizer.told != 0) ties = finish_told(product, before, requantizer.told, ties);
    requantizer.told = 0;
  };
  for (int64_t i = 0; i < product.group_count; ++i) {
    const TiledPixels& group = product.groups[i];
    if (group.places[group.count - 1] < 16 * 64) {
      multiply_group<vectors, 1>(product, group, sums[i & 1], before, requantizer);
    } else {
      multiply_group<vectors, 2>(product, group, sums[i & 1], before, requantizer);
    }
    tell();
    before = {&group, &sums[i & 1], (group.count + 3) / 4};
  }
  for (int64_t four = 0; four < before.fours; ++four)
    finish_four<vectors>(requantizer, before, four);
  tell();
  return ties - product.ties;
}

int64_t multiply_tiled(const NchwcTiledProduct& product) {
  return product.vectors == 2 ? multiply<2>(product) : multiply<1>(product);
}

/// Mask for loads and stores of the first `count` of four 16-byte parts.
inline __mmask8 parts(int64_t count) {
  return static_cast<__mmask8>(count >= 4 ? 0xFFU : (1U << (2 * count)) - 1U);
}

/// Up to four pixels of four blocks, transposed into whole pixels.
inline void copy_four(const uint8_t* in, int64_t in_stride, int64_t pixels, int64_t blocks,
                      __m512i flip, uint8_t* out) {
  __m512i rows[4];
  for (int block = 0; block < 4; ++block) {
    rows[block] =
        block < blocks ? _mm512_maskz_loadu_epi64(parts(pixels), in + block * in_stride) : flip;
  }
  const __m512i low01 = _mm512_maskz_shuffle_i64x2(0xFF, rows[0], rows[1], 0x44);
  const __m512i high01 = _mm512_maskz_shuffle_i64x2(0xFF, rows[0], rows[1], 0xEE);
  const __m512i low23 = _mm512_maskz_shuffle_i64x2(0xFF, rows[2], rows[3], 0x44);
  const __m512i high23 = _mm512_maskz_shuffle_i64x2(0xFF, rows[2], rows[3], 0xEE);
  const __m512i whole[4] = {_mm512_maskz_shuffle_i64x2(0xFF, low01, low23, 0x88),
                            _mm512_maskz_shuffle_i64x2(0xFF, low01, low23, 0xDD),
                            _mm512_maskz_shuffle_i64x2(0xFF, high01, high23, 0x88),
                            _mm512_maskz_shuffle_i64x2(0xFF, high01, high23, 0xDD)};
  for (int i = 0; i < 4 && i < pixels; ++i)
    _mm512_storeu_si512(out + i * 64, _mm512_xor_si512(whole[i], flip));
}

/// One chunk of a single pixel.
inline void copy_one(const uint8_t* in, int64_t in_stride, int64_t blocks, int64_t units,
                     __m512i flip, uint8_t* out) {
  const __m128i flip16 = _mm512_maskz_extracti32x4_epi32(0xF, flip, 0);
  for (int64_t unit = 0; unit < units; ++unit, in += in_stride) {
    __m128i bytes = _mm_setzero_si128();
    if (unit < blocks)
      bytes = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)), flip16);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + unit * 16), bytes);
  }
}

/// One chunk of all pixels to read.
inline void copy_chunk(const TiledRowCopy& copy, const uint8_t* in, int64_t blocks, __m512i flip,
                       uint8_t* out) {
  if (copy.pixel_step == 16 && copy.pixel_bytes == 64) {
    for (int64_t pixel = 0; pixel < copy.inside; pixel += 4)
      copy_four(in + pixel * 16, copy.in_stride, copy.inside - pixel, blocks, flip,
                out + pixel * 64);
  } else if (copy.pixel_step == 16 && copy.pixel_bytes == 16) {
    for (int64_t pixel = 0; pixel < copy.inside; pixel += 4) {
      const __mmask8 there = parts(copy.inside - pixel);
      const __m512i bytes = _mm512_maskz_loadu_epi64(there, in + pixel * 16);
      _mm512_mask_storeu_epi64(out + pixel * 16, there, _mm512_xor_si512(bytes, flip));
    }
  } else if (copy.pixel_bytes == 64) {
    for (int64_t pixel = 0; pixel < copy.inside; ++pixel)
      copy_one(in + pixel * copy.pixel_step, copy.in_stride, blocks, 4, flip, out + pixel * 64);
  } else {
    const int64_t units = copy.pixel_bytes / 16;
    for (int64_t pixel = 0; pixel < copy.inside; ++pixel) {
      copy_one(in + pixel * copy.pixel_step, copy.in_stride, blocks, units, flip,
               out + pixel * copy.pixel_bytes);
    }
  }
}

void copy_row(const TiledRowCopy& copy) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(copy.flip));
  const __m512i fill = _mm512_set1_epi8(static_cast<char>(copy.fill));
  const auto there = static_cast<__mmask8>((1U << (copy.pixel_bytes / 8)) - 1U);
  const auto fill_pixels = [&](uint8_t* to, int64_t pixels) {
    for (int64_t i = 0; i < pixels; ++i)
      _mm512_mask_storeu_epi64(to + i * copy.pixel_bytes, there, fill);
  };
  const uint8_t* in = copy.in;
  uint8_t* out = copy.out;
  const int64_t units = copy.pixel_bytes / 16;
  for (int64_t blocks = copy.blocks; blocks > 0; blocks -= units) {
    fill_pixels(out, copy.before);
    if (copy.inside > 0) copy_chunk(copy, in, blocks, flip, out + copy.before * copy.pixel_bytes);
    fill_pixels(out + (copy.before + copy.inside) * copy.pixel_bytes, copy.behind);
    in += units * copy.in_stride;
    out += copy.out_stride;
  }
}

}  // namespace

const NchwcTiledFunctions nchwc_tiled_functions = {
    .copy = copy_row, .begin = begin, .end = end, .multiply = multiply_tiled};

}  // namespace ortool::cpu::amx
