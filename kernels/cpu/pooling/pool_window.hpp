// Pooling windows: the part of a window that lies inside the image.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/pooling/pool.hpp"
#include "kernels/cpu/pooling/pool_rows.hpp"

namespace ortool::cpu {

/// The kernel positions [begin, end) along one axis that lie inside the image; position k is at
/// pixel start + k * dilation.
struct WindowRange {
  std::int64_t start = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

inline WindowRange window_range(const PoolSizes& sizes, int axis, std::int64_t out) {
  WindowRange range;
  const std::int64_t step = sizes.dilation[axis];
  range.start = out * sizes.stride[axis] - sizes.pad_begin[axis];
  const std::int64_t room = sizes.in[axis] - range.start;
  if (step == 1) {
    // As below, without divisions.
    range.begin = std::max<std::int64_t>(0, -range.start);
    range.end = std::max(range.begin, std::min(sizes.kernel[axis], room));
    return range;
  }
  range.begin = range.start >= 0 ? 0 : (-range.start + step - 1) / step;
  range.end = room <= 0 ? 0 : std::min(sizes.kernel[axis], (room + step - 1) / step);
  range.end = std::max(range.begin, range.end);
  return range;
}

/// An output row, counted over all planes.
struct RowPlace {
  std::int64_t plane = 0;
  std::int64_t depth = 0;
  std::int64_t row = 0;

  void advance(const PoolSizes& sizes) {
    if (++row < sizes.out[1]) return;
    row = 0;
    if (++depth < sizes.out[0]) return;
    depth = 0;
    ++plane;
  }
};

inline RowPlace row_place(const PoolSizes& sizes, std::int64_t index) {
  const std::int64_t rest = index / sizes.out[1];
  return {rest / sizes.out[0], rest % sizes.out[0], index % sizes.out[1]};
}

/// Number of kernel positions along one axis inside the image or its padding.
inline std::int64_t padded_count(const PoolSizes& sizes, int axis, std::int64_t out) {
  const std::int64_t step = sizes.dilation[axis];
  const std::int64_t start = out * sizes.stride[axis] - sizes.pad_begin[axis];
  const std::int64_t room = sizes.in[axis] + sizes.pad_end[axis] - start;
  return room <= 0 ? 0 : std::min(sizes.kernel[axis], (room + step - 1) / step);
}

/// Maximum row buffer; wider windows are pooled pixel by pixel.
constexpr std::int64_t row_buffer = 2048;

inline std::int64_t window_reach(const PoolSizes& sizes) {
  return (sizes.kernel[2] - 1) * sizes.dilation[2] + 1;
}

/// Calls `reduce_row(from, buffer, count)` for each input row of output row (depth, row), where
/// `buffer` holds the columns of the padded row (the first row is copied), then
/// `reduce_columns(buffer, first, count)` for consecutive parts of the output row. Positions
/// outside the image are set to `fill`.
template <typename T, typename ReduceRow, typename ReduceColumns>
void pool_row(const PoolSizes& sizes, const T* plane, std::int64_t depth, std::int64_t row, T fill,
              ReduceRow&& reduce_row, ReduceColumns&& reduce_columns) {
  T buffer[row_buffer + pool_slack];
  const WindowRange depths = window_range(sizes, 0, depth);
  const WindowRange rows = window_range(sizes, 1, row);
  const bool fits = (sizes.out[2] - 1) * sizes.stride[2] + window_reach(sizes) <= row_buffer;
  const std::int64_t most =
      fits ? sizes.out[2] : (row_buffer - window_reach(sizes)) / sizes.stride[2] + 1;
  for (std::int64_t first = 0; first < sizes.out[2]; first += most) {
    const std::int64_t count = std::min(most, sizes.out[2] - first);
    const std::int64_t width = (count - 1) * sizes.stride[2] + window_reach(sizes);
    const std::int64_t start = first * sizes.stride[2] - sizes.pad_begin[2];
    const std::int64_t begin = std::clamp<std::int64_t>(-start, 0, width);
    const std::int64_t end = std::clamp<std::int64_t>(sizes.in[2] - start, begin, width);
    bool is_first = true;
    for (std::int64_t d = depths.begin; d < depths.end; ++d) {
      for (std::int64_t r = rows.begin; r < rows.end; ++r) {
        const std::int64_t z = depths.start + d * sizes.dilation[0];
        const std::int64_t y = rows.start + r * sizes.dilation[1];
        const T* from = plane + (z * sizes.in[1] + y) * sizes.in[2] + start + begin;
        if (is_first) {
          std::copy(from, from + (end - begin), buffer + begin);
        } else {
          reduce_row(from, buffer + begin, end - begin);
        }
        is_first = false;
      }
    }
    if (is_first) {
      std::fill(buffer, buffer + width, fill);
    } else {
      std::fill(buffer, buffer + begin, fill);
      std::fill(buffer + end, buffer + width, fill);
    }
    reduce_columns(buffer, first, count);
  }
}

/// Output rows per task.
inline std::int64_t pool_grain(const PoolSizes& sizes) {
  constexpr std::int64_t task_steps = 32 * 1024;
  // Windows wider than the image only read the image, so the product cannot overflow.
  std::int64_t row_steps = sizes.out[2];
  for (int axis = 0; axis < 3; ++axis)
    row_steps *= std::clamp<std::int64_t>(std::min(sizes.kernel[axis], sizes.in[axis]), 1, 8192);
  return std::max<std::int64_t>(1, task_steps / std::max<std::int64_t>(1, row_steps));
}

}  // namespace ortool::cpu
