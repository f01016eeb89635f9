// Pooling of NCHWc images, row by row, one channel block at a time.
#include "kernels/cpu/pooling/pool_nchwc.hpp"

#include <algorithm>

#include "kernels/cpu/conv/f32_nchwc/window_rows.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/pooling/pool_window.hpp"

namespace ortool::cpu {
namespace {

WindowSteps window_steps(const PoolSizes& sizes, int axis) {
  return {sizes.in[axis],     sizes.out[axis],      sizes.kernel[axis],
          sizes.stride[axis], sizes.dilation[axis], sizes.pad_begin[axis]};
}

/// Calls `compute` as for_window_row does, for all rows.
template <typename Compute>
void for_windows(const NchwcPoolSizes& sizes, std::int64_t lanes, const float* x, float* y,
                 Workers& workers, Compute compute) {
  const PoolSizes& window = sizes.window;
  const NchwcWindows windows{.planes = window.planes,
                             .lanes = lanes,
                             .rows = window_steps(window, 1),
                             .columns = window_steps(window, 2)};
  const std::int64_t count = windows.row_count();
  if (count <= 0 || window.out[2] <= 0) return;
  const std::int64_t blocks = window.planes / sizes.batch;
  const auto taps = static_cast<double>(window.kernel[1] * window.kernel[2]);
  const SpatialPartition cut(sizes.batch, window.out[1], blocks,
                             cuts_channels_by_rows(sizes.channels, window.out[1] * window.out[2]),
                             static_cast<double>(count * window.out[2]) * (1 + taps / 4));
  cut.run(workers, [&](const PartitionTile& piece) {
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block) {
      const std::int64_t first = (piece.image * blocks + block) * window.out[1];
      for (std::int64_t row = piece.row_begin; row < piece.row_end; ++row)
        for_window_row(windows, x, y, nullptr, 1, first + row, compute);
    }
  });
}

}  // namespace

void max_pool_nchwc(const NchwcPoolSizes& sizes, const float* x, float* y, Isa isa,
                    Workers& workers) {
  const NchwcFunctions& functions = nchwc_functions(isa);
  for_windows(sizes, functions.lanes, x, y, workers,
              [&](const NchwcDepthwise& part, std::int64_t, std::int64_t, std::int64_t,
                  std::int64_t pixels) { functions.largest(part, pixels); });
}

void average_pool_nchwc(const NchwcPoolSizes& sizes, bool counts_padding, const float* x, float* y,
                        Isa isa, Workers& workers) {
  const NchwcFunctions& functions = nchwc_functions(isa);
  const PoolSizes& window = sizes.window;
  for_windows(sizes, functions.lanes, x, y, workers,
              [&](NchwcDepthwise& part, std::int64_t, std::int64_t row, std::int64_t column,
                  std::int64_t pixels) {
                if (!counts_padding) {
                  functions.mean(part, pixels, static_cast<float>(part.rows * part.columns));
                  return;
                }
                // Windows that reach past the padding count fewer pixels: such columns are
                // processed one by one.
                const std::int64_t rows = padded_count(window, 1, row);
                for (std::int64_t i = 0; i < pixels; ++i) {
                  const std::int64_t columns = padded_count(window, 2, column + i);
                  functions.mean(part, 1, static_cast<float>(rows * columns));
                  part.x += part.pixel_step;
                  part.y += functions.lanes;
                }
              });
}

void global_average_pool_nchwc(std::int64_t batch, std::int64_t channels, std::int64_t pixels,
                               const float* x, float* y, Isa isa, Workers& workers) {
  const NchwcFunctions& functions = nchwc_functions(isa);
  const std::int64_t lanes = functions.lanes;
  const std::int64_t blocks = (channels + lanes - 1) / lanes;
  const std::int64_t count = batch * blocks;
  if (count <= 0) return;
  const std::int64_t tasks = std::min(count, task_count(0.5 * static_cast<double>(count * pixels)));
  workers.parallel_ranges(count, (count + tasks - 1) / tasks,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t plane = begin; plane < end; ++plane) {
                              const std::int64_t channel = plane % blocks * lanes;
                              functions.plane_mean(x + plane * pixels * lanes, pixels,
                                                   y + plane / blocks * channels + channel,
                                                   std::min(lanes, channels - channel));
                            }
                          });
}

}  // namespace ortool::cpu
