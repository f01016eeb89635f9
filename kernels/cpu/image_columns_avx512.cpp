// Packing the pixels under a convolution's kernel for AVX-512, 16 output pixels at a time.
#include <immintrin.h>
#include <stdint.h>

#include "kernels/cpu/image_columns.hpp"

namespace ortool::cpu::avx512 {
namespace {

/// Neighbouring output pixels of one row among 16 lanes, and the pixel the first one begins at.
struct Segment {
  int32_t lane;
  int32_t count;
  int64_t depth;
  int64_t row;
  int64_t column;
};

/// What the lanes of one segment see at one kernel position: lane i at offset + i * stride.
struct Run {
  uint32_t mask;
  int64_t offset;
};

struct Vector {
  int32_t segments;
  Segment segment[16];
};

void find_segments(const ImageColumns& columns, int32_t begin, Vector& vector) {
  const int32_t left = columns.columns - begin;
  const int32_t lanes = left < 0 ? 0 : (left < 16 ? left : 16);
  const int64_t pixel = columns.first + begin;
  int64_t column = pixel % columns.out[2];
  int64_t row = pixel / columns.out[2] % columns.out[1];
  int64_t depth = pixel / columns.out[2] / columns.out[1];
  vector.segments = 0;
  for (int32_t lane = 0; lane < lanes;) {
    const int64_t room = columns.out[2] - column;
    Segment& segment = vector.segment[vector.segments++];
    segment.lane = lane;
    segment.count = room < lanes - lane ? static_cast<int32_t>(room) : lanes - lane;
    segment.depth = depth * columns.stride[0] - columns.pad[0];
    segment.row = row * columns.stride[1] - columns.pad[1];
    segment.column = column * columns.stride[2] - columns.pad[2];
    lane += segment.count;
    column = 0;
    if (++row < columns.out[1]) continue;
    row = 0;
    ++depth;
  }
}

/// Finds the runs at a kernel position; returns how many there are.
int32_t find_runs(const ImageColumns& columns, const Vector& vector, int64_t depth, int64_t row,
                  int64_t column, Run* runs) {
  const int64_t stride = columns.stride[2];
  int32_t count = 0;
  for (int32_t i = 0; i < vector.segments; ++i) {
    const Segment& segment = vector.segment[i];
    const int64_t z = segment.depth + depth;
    const int64_t y = segment.row + row;
    const int64_t x = segment.column + column;
    if (z < 0 || z >= columns.in[0] || y < 0 || y >= columns.in[1]) continue;
    const int64_t room = columns.in[2] - x;
    int64_t begin = 0;
    int64_t end = segment.count;
    if (x < 0) begin = stride == 1 ? -x : (-x + stride - 1) / stride;
    if (room < (end - 1) * stride + 1) end = stride == 1 ? room : (room + stride - 1) / stride;
    if (begin >= end) continue;
    runs[count].mask = ((1U << end) - (1U << begin)) << segment.lane;
    runs[count].offset = (z * columns.in[1] + y) * columns.in[2] + x - segment.lane * stride;
    ++count;
  }
  return count;
}

inline __mmask16 low_half(uint32_t mask) {
  return static_cast<__mmask16>(mask & 0xFFFFU);
}

/// Sixteen neighbours from several runs.
inline __m512 load_runs(const float* from, const Run* runs, int32_t count) {
  __m512 value = _mm512_setzero_ps();
  for (int32_t i = 0; i < count; ++i) {
    value = _mm512_mask_loadu_ps(value, low_half(runs[i].mask), from + runs[i].offset);
  }
  return value;
}

void copy_neighbours(const ImageColumns& columns, const Run* runs, int32_t count, int64_t to_stride,
                     __mmask16 store, float* to) {
  const float* from = columns.image;
  const int64_t step = columns.channel_stride;
  if (count == 1) {
    const __mmask16 mask = low_half(runs[0].mask);
    from += runs[0].offset;
    for (int64_t channel = 0; channel < columns.channels; ++channel) {
      _mm512_mask_storeu_ps(to, store, _mm512_maskz_loadu_ps(mask, from));
      from += step;
      to += to_stride;
    }
    return;
  }
  if (count == 2) {
    for (int64_t channel = 0; channel < columns.channels; ++channel) {
      _mm512_mask_storeu_ps(to, store, load_runs(from, runs, 2));
      from += step;
      to += to_stride;
    }
    return;
  }
  for (int64_t channel = 0; channel < columns.channels; ++channel) {
    _mm512_mask_storeu_ps(to, store, load_runs(from, runs, count));
    from += step;
    to += to_stride;
  }
}

/// The 16 bits of `mask` moved to the even places of 32.
inline uint32_t spread(uint32_t mask) {
  mask = (mask | mask << 8) & 0x00FF00FFU;
  mask = (mask | mask << 4) & 0x0F0F0F0FU;
  mask = (mask | mask << 2) & 0x33333333U;
  return (mask | mask << 1) & 0x55555555U;
}

/// Every second pixel: two loads and a permutation a run.
void copy_every_second(const ImageColumns& columns, const Run* runs, int32_t count,
                       int64_t to_stride, __mmask16 store, float* to) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const float* from = columns.image;
  for (int64_t channel = 0; channel < columns.channels; ++channel) {
    __m512 value = _mm512_setzero_ps();
    for (int32_t i = 0; i < count; ++i) {
      const uint32_t wanted = spread(runs[i].mask);
      const float* at = from + runs[i].offset;
      const __m512 low = _mm512_maskz_loadu_ps(low_half(wanted), at);
      const __m512 high = _mm512_maskz_loadu_ps(low_half(wanted >> 16), at + 16);
      const __m512 both = _mm512_permutex2var_ps(low, even, high);
      value = _mm512_or_ps(value, both);
    }
    _mm512_mask_storeu_ps(to, store, value);
    from += columns.channel_stride;
    to += to_stride;
  }
}

void gather(const ImageColumns& columns, const Run* runs, int32_t count, int64_t to_stride,
            __mmask16 store, float* to) {
  alignas(64) int64_t index[16] = {};
  uint32_t mask = 0;
  for (int32_t i = 0; i < count; ++i) {
    mask |= runs[i].mask;
    for (int32_t lane = 0; lane < 16; ++lane) {
      if ((runs[i].mask >> lane & 1U) != 0) index[lane] = runs[i].offset + lane * columns.stride[2];
    }
  }
  const __m512i low = _mm512_load_epi64(index);
  const __m512i high = _mm512_load_epi64(index + 8);
  const auto low_mask = static_cast<__mmask8>(mask & 0xFFU);
  const auto high_mask = static_cast<__mmask8>(mask >> 8 & 0xFFU);
  const __m256 none = _mm256_setzero_ps();
  const float* from = columns.image;
  for (int64_t channel = 0; channel < columns.channels; ++channel) {
    const __m256 first = _mm512_mask_i64gather_ps(none, low_mask, low, from, 4);
    const __m256 last = _mm512_mask_i64gather_ps(none, high_mask, high, from, 4);
    _mm512_mask_storeu_ps(to, store, _mm512_insertf32x8(_mm512_castps256_ps512(first), last, 1));
    from += columns.channel_stride;
    to += to_stride;
  }
}

}  // namespace

void pack_image_columns(const ImageColumns& columns) {
  const int64_t positions = columns.kernel[0] * columns.kernel[1] * columns.kernel[2];
  const int64_t to_stride = positions * columns.width;
  for (int32_t begin = 0; begin < columns.width; begin += 16) {
    Vector vector;
    find_segments(columns, begin, vector);
    const int32_t stored = columns.width - begin < 16 ? columns.width - begin : 16;
    const auto store = static_cast<__mmask16>((1U << stored) - 1U);
    float* to = columns.to + begin;
    for (int64_t depth = 0; depth < columns.kernel[0]; ++depth) {
      for (int64_t row = 0; row < columns.kernel[1]; ++row) {
        for (int64_t column = 0; column < columns.kernel[2]; ++column) {
          Run runs[16];
          const int32_t count =
              find_runs(columns, vector, depth * columns.dilation[0], row * columns.dilation[1],
                        column * columns.dilation[2], runs);
          if (columns.stride[2] == 1) {
            copy_neighbours(columns, runs, count, to_stride, store, to);
          } else if (columns.stride[2] == 2) {
            copy_every_second(columns, runs, count, to_stride, store, to);
          } else {
            gather(columns, runs, count, to_stride, store, to);
          }
          to += columns.width;
        }
      }
    }
  }
}

}  // namespace ortool::cpu::avx512
