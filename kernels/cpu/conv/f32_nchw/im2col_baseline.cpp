// im2col in portable C++.
#include <algorithm>
#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/im2col.hpp"

namespace ortool::cpu::baseline {
namespace {

/// Output pixels of one row that are adjacent in the panel.
struct Run {
  std::int64_t lane = 0;
  std::int64_t count = 0;
  std::int64_t depth = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// Copies the inputs of one run at one kernel position, for all channels.
void copy_run(const Im2colPanel& columns, const Run& run, const std::int64_t (&at)[3],
              std::int64_t positions, float* to) {
  const std::int64_t depth = run.depth * columns.stride[0] - columns.pad[0] + at[0];
  const std::int64_t row = run.row * columns.stride[1] - columns.pad[1] + at[1];
  const std::int64_t step = columns.stride[2];
  const std::int64_t start = run.column * step - columns.pad[2] + at[2];
  const bool inside = depth >= 0 && depth < columns.in[0] && row >= 0 && row < columns.in[1];
  // Lanes [begin, end) of the run read inside the input row.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (inside) {
    begin = start >= 0 ? 0 : std::min(run.count, (-start + step - 1) / step);
    const std::int64_t room = columns.in[2] - start;
    end = room <= 0 ? 0 : std::min(run.count, (room + step - 1) / step);
    end = std::max(begin, end);
  }
  const std::int64_t offset = (depth * columns.in[1] + row) * columns.in[2] + start;
  for (std::int64_t channel = 0; channel < columns.channels; ++channel) {
    float* lane = to + channel * positions * columns.width + run.lane;
    std::fill(lane, lane + begin, 0.0F);
    if (begin < end) {
      const float* from = columns.image + channel * columns.channel_stride;
      if (step == 1) {
        std::copy(from + offset + begin, from + offset + end, lane + begin);
      } else {
        for (std::int64_t i = begin; i < end; ++i) lane[i] = from[offset + i * step];
      }
    }
    std::fill(lane + end, lane + run.count, 0.0F);
  }
}

void pack_im2col(const Im2colPanel& columns) {
  const std::int64_t positions = columns.kernel[0] * columns.kernel[1] * columns.kernel[2];
  if (columns.columns < columns.width) {
    for (std::int64_t k = 0; k < columns.channels * positions; ++k) {
      float* to = columns.to + k * columns.width;
      std::fill(to + columns.columns, to + columns.width, 0.0F);
    }
  }
  Run run;
  for (std::int64_t lane = 0; lane < columns.columns; lane += run.count) {
    const std::int64_t pixel = columns.first + lane;
    run.lane = lane;
    run.column = pixel % columns.out[2];
    run.row = pixel / columns.out[2] % columns.out[1];
    run.depth = pixel / columns.out[2] / columns.out[1];
    run.count = std::min(columns.columns - lane, columns.out[2] - run.column);
    float* to = columns.to;
    for (std::int64_t depth = 0; depth < columns.kernel[0]; ++depth) {
      for (std::int64_t row = 0; row < columns.kernel[1]; ++row) {
        for (std::int64_t column = 0; column < columns.kernel[2]; ++column) {
          const std::int64_t at[3] = {depth * columns.dilation[0], row * columns.dilation[1],
                                      column * columns.dilation[2]};
          copy_run(columns, run, at, positions, to);
          to += columns.width;
        }
      }
    }
  }
}

}  // namespace

const Im2colFunction im2col_function = pack_im2col;

}  // namespace ortool::cpu::baseline
