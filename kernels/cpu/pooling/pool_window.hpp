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

/// The columns [begin, end) whose windows lie inside the image.
struct ColumnRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

inline ColumnRange columns_inside(const PoolSizes& sizes) {
  const std::int64_t stride = sizes.stride[2];
  const std::int64_t last = sizes.in[2] - window_reach(sizes) + sizes.pad_begin[2];
  ColumnRange range;
  range.begin =
      std::clamp<std::int64_t>((sizes.pad_begin[2] + stride - 1) / stride, 0, sizes.out[2]);
  range.end = last < 0 ? 0 : std::min(last / stride + 1, sizes.out[2]);
  range.end = std::max(range.begin, range.end);
  return range;
}

/// What sums of a row are divided by: inside the image, in its first and in its last column.
struct RowPixelCounts {
  float inside = 1;
  float left = 1;
  float right = 1;
};

/// Pools rows of float32 without a buffer: columns inside the image by vectors, those at its rim
/// one by one or as pairs of columns, in the same order.
class RowPoolKernel {
 public:
  RowPoolKernel(const PoolSizes& sizes, const PoolFunctions& functions)
      : sizes_(sizes), inside_(columns_inside(sizes)) {
    const std::int64_t stride = sizes.stride[2];
    const bool is_short = sizes.dilation[2] == 1 && (sizes.kernel[2] == 2 || sizes.kernel[2] == 3);
    // Columns at the rim of wider windows would take longer than those inside.
    const bool has_rim = inside_.end - inside_.begin < sizes.out[2];
    can_run_ = inside_.end - inside_.begin >= functions.lanes && (is_short || !has_rim) &&
               (stride == 1 || (stride == 2 && is_short)) &&
               sizes.kernel[0] * sizes.kernel[1] <= max_rows;
    const bool is_of_three = is_short && sizes.kernel[2] == 3;
    has_left_edge_ = is_of_three && inside_.begin == 1 && sizes.pad_begin[2] == 1;
    const std::int64_t last_start = (sizes.out[2] - 1) * stride - sizes.pad_begin[2];
    has_right_edge_ =
        is_of_three && inside_.end == sizes.out[2] - 1 && last_start == sizes.in[2] - 2;
  }

  /// False if the row must be pooled in another way. `combine` joins two floats as `pool` joins
  /// vectors.
  template <typename Combine>
  bool run(const float* plane, std::int64_t depth, std::int64_t row, float nothing,
           void (*pool)(const WindowRows& windows), Combine combine, float* out,
           const RowPixelCounts& divisors = {}) const {
    if (!can_run_) return false;
    const WindowRange depths = window_range(sizes_, 0, depth);
    const WindowRange rows = window_range(sizes_, 1, row);
    const float* starts[max_rows];
    std::int64_t count = 0;
    for (std::int64_t d = depths.begin; d < depths.end; ++d) {
      const std::int64_t z = depths.start + d * sizes_.dilation[0];
      for (std::int64_t r = rows.begin; r < rows.end; ++r) {
        const std::int64_t y = rows.start + r * sizes_.dilation[1];
        starts[count++] = plane + (z * sizes_.in[1] + y) * sizes_.in[2];
      }
    }
    if (count == 0) return false;
    for (std::int64_t column = 0; !has_left_edge_ && column < inside_.begin; ++column)
      out[column] = pool_one(starts, count, column, nothing, combine);
    for (std::int64_t column = inside_.end; !has_right_edge_ && column < sizes_.out[2]; ++column)
      out[column] = pool_one(starts, count, column, nothing, combine);
    const std::int64_t first = inside_.begin * sizes_.stride[2] - sizes_.pad_begin[2];
    for (std::int64_t i = 0; i < count; ++i) starts[i] += first;
    pool({.rows = starts,
          .row_count = count,
          .kernel = sizes_.kernel[2],
          .stride = sizes_.stride[2],
          .dilation = sizes_.dilation[2],
          .count = inside_.end - inside_.begin,
          .out = out + inside_.begin,
          .has_left_edge = has_left_edge_,
          .has_right_edge = has_right_edge_,
          .first_column = -first,
          .behind_columns = sizes_.in[2] - first,
          .divisor = divisors.inside,
          .left_divisor = divisors.left,
          .right_divisor = divisors.right});
    return true;
  }
  /// The columns that `pool` has computed, and thus divided, in run().
  ColumnRange pooled() const {
    return {inside_.begin - (has_left_edge_ ? 1 : 0), inside_.end + (has_right_edge_ ? 1 : 0)};
  }

 private:
  static constexpr std::int64_t max_rows = 32;

  template <typename Combine>
  float pool_one(const float* const* rows, std::int64_t count, std::int64_t column, float nothing,
                 Combine combine) const {
    const WindowRange range = window_range(sizes_, 2, column);
    float result = nothing;
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      const std::int64_t at = range.start + k * sizes_.dilation[2];
      float combined = rows[0][at];
      for (std::int64_t r = 1; r < count; ++r) combined = combine(combined, rows[r][at]);
      result = k == range.begin ? combined : combine(result, combined);
    }
    return result;
  }

  const PoolSizes& sizes_;
  ColumnRange inside_;
  bool can_run_ = false;
  bool has_left_edge_ = false;  ///< a window of three columns of which the image has two
  bool has_right_edge_ = false;
};

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
