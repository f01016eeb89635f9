// Window scatter: which inputs of a transposed convolution reach an output, along one axis.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ortool::cpu {

/// The input that reaches `out` through kernel position `step`, or -1.
inline std::int64_t source_of(std::int64_t out, std::int64_t step, std::int64_t in,
                              std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
  const std::int64_t place = out + pad - step * dilation;
  if (place < 0 || place % stride != 0 || place / stride >= in) return -1;
  return place / stride;
}

/// The inputs [begin, end) of a row whose outputs i * stride + shift lie in [0, out).
struct RowSources {
  std::int64_t begin;
  std::int64_t end;

  RowSources(std::int64_t first, std::int64_t last, std::int64_t stride, std::int64_t shift,
             std::int64_t out) {
    begin = shift >= 0 ? first : std::max(first, (-shift + stride - 1) / stride);
    end = shift >= out ? begin : std::min(last, (out - shift + stride - 1) / stride);
    end = std::max(begin, end);
  }
};

/// to[i * stride + shift] += factor * from[i] for a row's inputs; must not overlap. Integers wrap.
template <typename T>
void add_scaled_row(const T* __restrict from, T factor, const RowSources& range,
                    std::int64_t stride, std::int64_t shift, T* __restrict to) {
  if (stride == 1) {
    T* place = to + shift;
    for (std::int64_t i = range.begin; i < range.end; ++i)
      place[i] = static_cast<T>(place[i] + factor * from[i]);
    return;
  }
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    T* place = to + i * stride + shift;
    *place = static_cast<T>(*place + factor * from[i]);
  }
}

/// The same for two rows with adjacent outputs, at a stride of two.
template <typename T>
void add_row_pair(const T* __restrict even, const T* __restrict odd, std::int64_t begin,
                  std::int64_t end, std::int64_t shift, T* __restrict to) {
  T* place = to + shift;
  for (std::int64_t i = begin; i < end; ++i) {
    place[2 * i] += even[i];
    place[2 * i + 1] += odd[i];
  }
}

}  // namespace ortool::cpu
