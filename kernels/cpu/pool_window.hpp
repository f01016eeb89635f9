// The part of a pooling window that lies in the image.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/pool.hpp"
#include "kernels/cpu/pool_rows.hpp"

namespace ortool::cpu {

/// The steps [begin, end) of a window along one axis whose pixels lie in the image; step k is at
/// start + k * dilation.
struct WindowRange {
  std::int64_t start = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

inline WindowRange window_range(const PoolSizes& sizes, int axis, std::int64_t out) {
  WindowRange range;
  const std::int64_t step = sizes.dilation[axis];
  range.start = out * sizes.stride[axis] - sizes.pad_begin[axis];
  range.begin = range.start >= 0 ? 0 : (-range.start + step - 1) / step;
  const std::int64_t room = sizes.in[axis] - range.start;
  range.end = room <= 0 ? 0 : std::min(sizes.kernel[axis], (room + step - 1) / step);
  range.end = std::max(range.begin, range.end);
  return range;
}

/// Pixels of the window along one axis that lie in the image or its padding.
inline std::int64_t padded_count(const PoolSizes& sizes, int axis, std::int64_t out) {
  const std::int64_t step = sizes.dilation[axis];
  const std::int64_t start = out * sizes.stride[axis] - sizes.pad_begin[axis];
  const std::int64_t room = sizes.in[axis] + sizes.pad_end[axis] - start;
  return room <= 0 ? 0 : std::min(sizes.kernel[axis], (room + step - 1) / step);
}

/// A window of x that reaches farther than this along a row is pooled pixel by pixel.
constexpr std::int64_t row_buffer = 2048;

inline std::int64_t window_reach(const PoolSizes& sizes) {
  return (sizes.kernel[2] - 1) * sizes.dilation[2] + 1;
}

/// Calls `reduce_row(from, buffer, count)` for each input row under output row (depth, row), with
/// `buffer` standing for the columns of the padded row, then `reduce_columns(buffer, first,
/// count)`, a piece of the output row after the other. The buffer starts as `fill`.
template <typename ReduceRow, typename ReduceColumns>
void pool_row(const PoolSizes& sizes, const float* plane, std::int64_t depth, std::int64_t row,
              float fill, ReduceRow&& reduce_row, ReduceColumns&& reduce_columns) {
  float buffer[row_buffer];
  const WindowRange depths = window_range(sizes, 0, depth);
  const WindowRange rows = window_range(sizes, 1, row);
  const std::int64_t most = (row_buffer - window_reach(sizes)) / sizes.stride[2] + 1;
  for (std::int64_t first = 0; first < sizes.out[2]; first += most) {
    const std::int64_t count = std::min(most, sizes.out[2] - first);
    const std::int64_t width = (count - 1) * sizes.stride[2] + window_reach(sizes);
    const std::int64_t start = first * sizes.stride[2] - sizes.pad_begin[2];
    const std::int64_t begin = std::clamp<std::int64_t>(-start, 0, width);
    const std::int64_t end = std::clamp<std::int64_t>(sizes.in[2] - start, begin, width);
    std::fill(buffer, buffer + width, fill);
    for (std::int64_t d = depths.begin; d < depths.end; ++d) {
      for (std::int64_t r = rows.begin; r < rows.end; ++r) {
        const std::int64_t z = depths.start + d * sizes.dilation[0];
        const std::int64_t y = rows.start + r * sizes.dilation[1];
        const float* from = plane + (z * sizes.in[1] + y) * sizes.in[2] + start + begin;
        reduce_row(from, buffer + begin, end - begin);
      }
    }
    reduce_columns(buffer, first, count);
  }
}

/// Output rows a task works on.
inline std::int64_t pool_grain(const PoolSizes& sizes) {
  constexpr std::int64_t task_steps = 32 * 1024;
  const std::int64_t row_steps = sizes.out[2] * sizes.kernel[0] * sizes.kernel[1] * sizes.kernel[2];
  return std::max<std::int64_t>(1, task_steps / std::max<std::int64_t>(1, row_steps));
}

const PoolFunctions& pool_functions(Isa isa);

}  // namespace ortool::cpu
