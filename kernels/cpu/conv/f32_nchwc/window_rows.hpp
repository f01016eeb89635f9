// Rows of NCHWc windows, split into windows inside the image and partial windows at its borders.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/conv/f32_nchwc/microkernel.hpp"

namespace ortool::cpu {

/// Window parameters along one spatial axis.
struct WindowSteps {
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;

  std::int64_t start(std::int64_t index) const { return index * stride - pad; }
  /// The kernel positions [begin, end) inside the image for output `index`.
  void inside(std::int64_t index, std::int64_t& begin, std::int64_t& end) const {
    const std::int64_t first = start(index);
    begin = first >= 0 ? 0 : (-first + dilation - 1) / dilation;
    const std::int64_t room = in - first;
    end = room <= 0 ? 0 : std::min(kernel, (room + dilation - 1) / dilation);
    begin = std::min(begin, end);
  }
  /// The outputs [begin, end) whose windows lie completely inside the image.
  void whole(std::int64_t& begin, std::int64_t& end) const {
    begin = std::min(out, (pad + stride - 1) / stride);
    const std::int64_t room = in - 1 - (kernel - 1) * dilation + pad;
    end = std::max(begin, room < 0 ? 0 : std::min(out, room / stride + 1));
  }
};

/// Planes are channel blocks of images, with blocks varying fastest.
struct NchwcWindows {
  std::int64_t planes = 0;
  std::int64_t lanes = 16;
  WindowSteps rows;
  WindowSteps columns;

  std::int64_t row_count() const { return planes * rows.out; }
};

/// Calls `compute(part, plane, row, column, pixels)` for all chunks of output row `index`, counted
/// over planes. `part` has x, y, steps, kernel rows and columns, and the offset into the weights
/// set. A window without any pixel has no rows. `weights` belongs to plane 0; weights repeat after
/// `weight_planes` planes.
template <typename Compute>
void for_window_row(const NchwcWindows& windows, const float* x, float* y, const float* weights,
                    std::int64_t weight_planes, std::int64_t index, Compute&& compute) {
  const WindowSteps& rows = windows.rows;
  const WindowSteps& columns = windows.columns;
  const std::int64_t lanes = windows.lanes;
  const std::int64_t plane = index / rows.out;
  const std::int64_t row = index % rows.out;
  std::int64_t row_begin = 0;
  std::int64_t row_end = 0;
  rows.inside(row, row_begin, row_end);
  NchwcDepthwise part = {};
  part.pixel_step = columns.stride * lanes;
  part.row_step = rows.dilation * columns.in * lanes;
  part.column_step = columns.dilation * lanes;
  part.weight_row_step = columns.kernel * lanes;
  const float* row_weights =
      weights == nullptr
          ? nullptr
          : weights + (plane % weight_planes * rows.kernel + row_begin) * columns.kernel * lanes;
  const std::int64_t in_row = rows.start(row) + row_begin * rows.dilation;
  const float* in = x + plane * rows.in * columns.in * lanes;
  if (row_end > row_begin) in += in_row * columns.in * lanes;
  float* out = y + index * columns.out * lanes;
  const auto run = [&](std::int64_t column, std::int64_t pixels, std::int64_t begin,
                       std::int64_t end) {
    part.rows = end > begin ? row_end - row_begin : 0;
    part.columns = end - begin;
    part.x = part.rows == 0 ? in : in + (columns.start(column) + begin * columns.dilation) * lanes;
    part.weights = row_weights == nullptr ? nullptr : row_weights + begin * lanes;
    part.y = out + column * lanes;
    compute(part, plane, row, column, pixels);
  };
  const auto run_rim = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t column = first; column < last; ++column) {
      std::int64_t begin = 0;
      std::int64_t end = 0;
      columns.inside(column, begin, end);
      run(column, 1, begin, end);
    }
  };
  std::int64_t whole_begin = 0;
  std::int64_t whole_end = 0;
  columns.whole(whole_begin, whole_end);
  run_rim(0, whole_begin);
  if (whole_end > whole_begin) run(whole_begin, whole_end - whole_begin, 0, columns.kernel);
  run_rim(whole_end, columns.out);
}

}  // namespace ortool::cpu
