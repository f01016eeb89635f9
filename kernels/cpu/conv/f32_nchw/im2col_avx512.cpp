// im2col for AVX-512, 16 output pixels at a time.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/conv/f32_nchw/im2col.hpp"
#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::avx512 {
namespace {

/// Lanes whose output pixels are adjacent in one row, and the first pixel of the first window.
struct Segment {
  int32_t lane;
  int32_t count;
  int64_t depth;
  int64_t row;
  int64_t column;
};

/// The in-image lanes of one segment at one kernel position: lane i reads offset + i * stride.
struct Run {
  uint32_t mask;
  int64_t offset;
};

struct Vector {
  int32_t segments;
  Segment segment[16];
};

void find_segments(const Im2colPanel& columns, int32_t begin, Vector& vector) {
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

/// Finds the runs at a kernel position; returns their number.
int32_t find_runs(const Im2colPanel& columns, const Vector& vector, int64_t depth, int64_t row,
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

/// Loads sixteen lanes from several runs with stride 1.
inline __m512 load_runs(const float* from, const Run* runs, int32_t count) {
  __m512 value = _mm512_setzero_ps();
  for (int32_t i = 0; i < count; ++i) {
    value = _mm512_mask_loadu_ps(value, low_half(runs[i].mask), from + runs[i].offset);
  }
  return value;
}

void copy_neighbors(const Im2colPanel& columns, const Run* runs, int32_t count, int64_t to_stride,
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

/// Moves the 16 bits of `mask` to the even positions of 32.
inline uint32_t spread(uint32_t mask) {
  mask = (mask | mask << 8) & 0x00FF00FFU;
  mask = (mask | mask << 4) & 0x0F0F0F0FU;
  mask = (mask | mask << 2) & 0x33333333U;
  return (mask | mask << 1) & 0x55555555U;
}

/// Stride 2: two loads and a permutation per run.
void copy_every_second(const Im2colPanel& columns, const Run* runs, int32_t count,
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

void gather(const Im2colPanel& columns, const Run* runs, int32_t count, int64_t to_stride,
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

constexpr int64_t max_kernel_columns = 16;

/// The lanes of a segment that lie inside the image at each kernel column, for a stride of 1 or 2.
struct SeenLanes {
  Segment segment;
  uint32_t mask[max_kernel_columns];
};

SeenLanes seen_lanes(const Im2colPanel& columns, const Segment& segment) {
  SeenLanes seen = {};
  seen.segment = segment;
  for (int64_t column = 0; column < columns.kernel[2]; ++column) {
    const int64_t x = segment.column + column * columns.dilation[2];
    const int64_t room = columns.in[2] - x;
    const int64_t round = columns.stride[2] - 1;
    const int64_t begin = x < 0 ? (-x + round) >> round : 0;
    int64_t end = room > 0 ? (room + round) >> round : 0;
    if (end > segment.count) end = segment.count;
    if (begin < end) seen.mask[column] = ((1U << end) - (1U << begin)) << segment.lane;
    if (columns.stride[2] == 2) seen.mask[column] = spread(seen.mask[column]);
  }
  return seen;
}

/// `value` with the lanes of `mask` loaded from `at` on; for stride 2 the mask is spread.
template <int stride>
inline __m512 take_lanes(__m512 value, uint32_t mask, const float* at, __m512i even) {
  if (stride == 1) return _mm512_mask_loadu_ps(value, low_half(mask), at);
  const __m512 low = _mm512_maskz_loadu_ps(low_half(mask), at);
  const __m512 high = _mm512_maskz_loadu_ps(low_half(mask >> 16), at + 16);
  return _mm512_or_ps(value, _mm512_permutex2var_ps(low, even, high));
}

/// Few channels: lane masks are computed once for all channels, and kernel rows outside the image
/// are skipped.
template <int stride, size_t segments>
void pack_few_channels(const Im2colPanel& columns, const SeenLanes* seen, __mmask16 kept,
                       float* to) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const float* image = columns.image;
  for (int64_t channel = 0; channel < columns.channels; ++channel) {
    for (int64_t row = 0; row < columns.kernel[0] * columns.kernel[1]; ++row) {
      const float* base[segments];
      uint32_t inside[segments];
      for (size_t s = 0; s < segments; ++s) {
        const Segment& segment = seen[s].segment;
        const int64_t z = segment.depth + row / columns.kernel[1] * columns.dilation[0];
        const int64_t y = segment.row + row % columns.kernel[1] * columns.dilation[1];
        const bool is_inside = z >= 0 && z < columns.in[0] && y >= 0 && y < columns.in[1];
        inside[s] = is_inside ? 0xFFFFFFFFU : 0U;
        base[s] = image + (is_inside ? (z * columns.in[1] + y) * columns.in[2] : 0) +
                  segment.column - segment.lane * stride;
      }
      for (int64_t column = 0; column < columns.kernel[2]; ++column) {
        __m512 value = _mm512_setzero_ps();
        for (size_t s = 0; s < segments; ++s) {
          value = take_lanes<stride>(value, seen[s].mask[column] & inside[s],
                                     base[s] + column * columns.dilation[2], even);
        }
        _mm512_mask_storeu_ps(to, kept, value);
        to += columns.width;
      }
    }
    image += columns.channel_stride;
  }
}

bool pack_shallow(const Im2colPanel& columns, const Vector& vector, __mmask16 kept, float* to) {
  constexpr int64_t few_channels = 16;
  const bool fits = columns.stride[2] <= 2 && columns.channels <= few_channels &&
                    columns.kernel[2] <= max_kernel_columns;
  if (!fits || vector.segments < 1 || vector.segments > 2) return false;
  SeenLanes seen[2];
  for (int32_t i = 0; i < vector.segments; ++i) seen[i] = seen_lanes(columns, vector.segment[i]);
  if (columns.stride[2] == 1) {
    (vector.segments == 1 ? pack_few_channels<1, 1> : pack_few_channels<1, 2>)(columns, seen, kept,
                                                                               to);
  } else {
    (vector.segments == 1 ? pack_few_channels<2, 1> : pack_few_channels<2, 2>)(columns, seen, kept,
                                                                               to);
  }
  return true;
}

/// Whether every lane of a segment reads inside the image at all kernel positions.
bool is_inside(const Im2colPanel& columns, const Segment& segment) {
  const auto covers = [&](int axis, int64_t first, int64_t last) {
    return first >= 0 &&
           last + (columns.kernel[axis] - 1) * columns.dilation[axis] < columns.in[axis];
  };
  return covers(0, segment.depth, segment.depth) && covers(1, segment.row, segment.row) &&
         covers(2, segment.column, segment.column + (segment.count - 1) * columns.stride[2]);
}

/// Large strides: per kernel row, the windows form a matrix (one row per pixel) that is transposed.
bool pack_by_kernel_rows(const Im2colPanel& columns, const Vector& vector, int32_t begin,
                         int32_t stored) {
  if (columns.stride[2] <= 2 || columns.dilation[2] != 1 || columns.kernel[2] < 4) return false;
  for (int32_t i = 0; i < vector.segments; ++i) {
    if (!is_inside(columns, vector.segment[i])) return false;
  }
  if (vector.segments == 0) return false;
  float* to = columns.to + begin;
  for (int64_t channel = 0; channel < columns.channels; ++channel) {
    const float* image = columns.image + channel * columns.channel_stride;
    for (int64_t row = 0; row < columns.kernel[0] * columns.kernel[1]; ++row) {
      const int64_t z = row / columns.kernel[1] * columns.dilation[0];
      const int64_t y = row % columns.kernel[1] * columns.dilation[1];
      for (int32_t i = 0; i < vector.segments; ++i) {
        const Segment& segment = vector.segment[i];
        const bool is_last = i + 1 == vector.segments;
        const int64_t first =
            ((segment.depth + z) * columns.in[1] + segment.row + y) * columns.in[2];
        pack_transposed(image + first + segment.column, columns.stride[2], segment.count,
                        is_last ? stored - segment.lane : segment.count, columns.kernel[2],
                        to + segment.lane, columns.width);
      }
      to += columns.kernel[2] * columns.width;
    }
  }
  return true;
}

void pack_im2col(const Im2colPanel& columns) {
  const int64_t positions = columns.kernel[0] * columns.kernel[1] * columns.kernel[2];
  const int64_t to_stride = positions * columns.width;
  for (int32_t begin = 0; begin < columns.width; begin += 16) {
    Vector vector;
    find_segments(columns, begin, vector);
    const int32_t stored = columns.width - begin < 16 ? columns.width - begin : 16;
    if (pack_by_kernel_rows(columns, vector, begin, stored)) continue;
    const auto store = low_half((1U << stored) - 1U);
    if (pack_shallow(columns, vector, store, columns.to + begin)) continue;
    float* to = columns.to + begin;
    for (int64_t depth = 0; depth < columns.kernel[0]; ++depth) {
      for (int64_t row = 0; row < columns.kernel[1]; ++row) {
        for (int64_t column = 0; column < columns.kernel[2]; ++column) {
          Run runs[16];
          const int32_t count =
              find_runs(columns, vector, depth * columns.dilation[0], row * columns.dilation[1],
                        column * columns.dilation[2], runs);
          if (columns.stride[2] == 1) {
            copy_neighbors(columns, runs, count, to_stride, store, to);
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

}  // namespace

const Im2colFunction im2col_function = pack_im2col;

}  // namespace ortool::cpu::avx512
