// Packing the pixels under a convolution's kernel for AVX-512: masked loads, gathers when strided.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/cpu/image_columns.hpp"

namespace ortool::cpu::avx512 {
namespace {

/// Up to 16 output pixels: where each begins in the image, and the coordinates it begins at.
struct Lanes {
  int64_t depth[16];
  int64_t row[16];
  int64_t column[16];
  int32_t count;
};

void find_lanes(const ImageColumns& columns, int32_t begin, Lanes& lanes) {
  const int32_t left = columns.columns - begin;
  lanes.count = left < 0 ? 0 : (left < 16 ? left : 16);
  const int64_t pixel = columns.first + begin;
  int64_t column = pixel % columns.out[2];
  int64_t row = pixel / columns.out[2] % columns.out[1];
  int64_t depth = pixel / columns.out[2] / columns.out[1];
  for (int32_t lane = 0; lane < lanes.count; ++lane) {
    lanes.depth[lane] = depth * columns.stride[0] - columns.pad[0];
    lanes.row[lane] = row * columns.stride[1] - columns.pad[1];
    lanes.column[lane] = column * columns.stride[2] - columns.pad[2];
    if (++column < columns.out[2]) continue;
    column = 0;
    if (++row < columns.out[1]) continue;
    row = 0;
    ++depth;
  }
}

/// What the lanes see at one kernel position: runs of neighbouring pixels, each loaded as if it
/// began at lane 0.
struct Loads {
  int32_t runs;
  __mmask16 mask[16];
  int64_t offset[16];
};

void find_loads(const ImageColumns& columns, const Lanes& lanes, int64_t depth, int64_t row,
                int64_t column, Loads& loads) {
  loads.runs = 0;
  uint32_t mask = 0;
  int64_t run_offset = 0;
  for (int32_t lane = 0; lane < lanes.count; ++lane) {
    const int64_t z = lanes.depth[lane] + depth;
    const int64_t y = lanes.row[lane] + row;
    const int64_t x = lanes.column[lane] + column;
    if (z < 0 || z >= columns.in[0] || y < 0 || y >= columns.in[1] || x < 0 || x >= columns.in[2]) {
      continue;
    }
    const int64_t offset = (z * columns.in[1] + y) * columns.in[2] + x - lane;
    if (mask != 0 && offset != run_offset) {
      loads.mask[loads.runs] = static_cast<__mmask16>(mask);
      loads.offset[loads.runs++] = run_offset;
      mask = 0;
    }
    run_offset = offset;
    mask |= 1U << lane;
  }
  if (mask != 0) {
    loads.mask[loads.runs] = static_cast<__mmask16>(mask);
    loads.offset[loads.runs++] = run_offset;
  }
}

void copy_loads(const ImageColumns& columns, const Loads& loads, int64_t to_stride, __mmask16 store,
                float* to) {
  const float* from = columns.image;
  const int64_t step = columns.channel_stride;
  if (loads.runs == 1) {
    for (int64_t channel = 0; channel < columns.channels; ++channel) {
      const __m512 value = _mm512_maskz_loadu_ps(loads.mask[0], from + loads.offset[0]);
      _mm512_mask_storeu_ps(to, store, value);
      from += step;
      to += to_stride;
    }
    return;
  }
  if (loads.runs == 2) {
    for (int64_t channel = 0; channel < columns.channels; ++channel) {
      const __m512 value = _mm512_maskz_loadu_ps(loads.mask[0], from + loads.offset[0]);
      _mm512_mask_storeu_ps(to, store,
                            _mm512_mask_loadu_ps(value, loads.mask[1], from + loads.offset[1]));
      from += step;
      to += to_stride;
    }
    return;
  }
  for (int64_t channel = 0; channel < columns.channels; ++channel) {
    __m512 value = _mm512_setzero_ps();
    for (int32_t run = 0; run < loads.runs; ++run) {
      value = _mm512_mask_loadu_ps(value, loads.mask[run], from + loads.offset[run]);
    }
    _mm512_mask_storeu_ps(to, store, value);
    from += step;
    to += to_stride;
  }
}

/// Strided lanes lie apart: each is a run, so one gather is better.
void gather_loads(const ImageColumns& columns, const Loads& loads, int64_t to_stride,
                  __mmask16 store, float* to) {
  alignas(64) int64_t index[16] = {};
  uint32_t mask = 0;
  for (int32_t run = 0; run < loads.runs; ++run) {
    mask |= loads.mask[run];
    for (int32_t lane = 0; lane < 16; ++lane) {
      if ((loads.mask[run] >> lane & 1) != 0) index[lane] = loads.offset[run] + lane;
    }
  }
  const __m512i low = _mm512_load_epi64(index);
  const __m512i high = _mm512_load_epi64(index + 8);
  const float* from = columns.image;
  // 32-bit lanes suffice unless the plane is huge.
  const bool is_small = columns.in[0] * columns.in[1] * columns.in[2] < (int64_t{1} << 31);
  const __m512i narrow = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                                            _mm512_cvtepi64_epi32(high), 1);
  const auto mask16 = static_cast<__mmask16>(mask);
  const __m512 zero = _mm512_setzero_ps();
  for (int64_t channel = 0; channel < columns.channels; ++channel) {
    __m512 value;
    if (is_small) {
      value = _mm512_mask_i32gather_ps(zero, mask16, narrow, from, 4);
    } else {
      const __m256 none = _mm256_setzero_ps();
      const auto first_mask = static_cast<__mmask8>(mask & 0xFFU);
      const auto last_mask = static_cast<__mmask8>(mask >> 8);
      const __m256 first = _mm512_mask_i64gather_ps(none, first_mask, low, from, 4);
      const __m256 last = _mm512_mask_i64gather_ps(none, last_mask, high, from, 4);
      value = _mm512_insertf32x8(_mm512_castps256_ps512(first), last, 1);
    }
    _mm512_mask_storeu_ps(to, store, value);
    from += columns.channel_stride;
    to += to_stride;
  }
}

}  // namespace

void pack_image_columns(const ImageColumns& columns) {
  const int64_t positions = columns.kernel[0] * columns.kernel[1] * columns.kernel[2];
  const int64_t to_stride = positions * columns.width;
  for (int32_t begin = 0; begin < columns.width; begin += 16) {
    Lanes lanes;
    find_lanes(columns, begin, lanes);
    const int32_t stored = columns.width - begin < 16 ? columns.width - begin : 16;
    const auto store = static_cast<__mmask16>((1U << stored) - 1U);
    float* to = columns.to + begin;
    for (int64_t depth = 0; depth < columns.kernel[0]; ++depth) {
      for (int64_t row = 0; row < columns.kernel[1]; ++row) {
        for (int64_t column = 0; column < columns.kernel[2]; ++column) {
          Loads loads;
          find_loads(columns, lanes, depth * columns.dilation[0], row * columns.dilation[1],
                     column * columns.dilation[2], loads);
          if (loads.runs <= 4) {
            copy_loads(columns, loads, to_stride, store, to);
          } else {
            gather_loads(columns, loads, to_stride, store, to);
          }
          to += columns.width;
        }
      }
    }
  }
}

}  // namespace ortool::cpu::avx512
