// Max pooling of int8 tensors in NCHW16c: a pixel's channel block is one 128-bit vector.
#include "kernels/cpu/pooling/pool_int8_nchwc.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/pooling/pool_window.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t block_lanes = 16;

using Uint8x16 [[gnu::vector_size(16)]] = std::uint8_t;

}  // namespace

void max_pool_int8_nchwc(const NchwcPoolSizes& sizes, std::uint8_t flip, const std::uint8_t* x,
                         std::uint8_t* y, Workers& workers) {
  const PoolSizes& window = sizes.window;
  const std::int64_t blocks = (sizes.channels + block_lanes - 1) / block_lanes;
  const std::int64_t in_pixels = window.in[1] * window.in[2];
  if (window.planes * window.out[1] * window.out[2] <= 0) return;
  const auto taps = static_cast<double>(window.kernel[1] * window.kernel[2]);
  const SpatialPartition cut(
      sizes.batch, window.out[1], blocks,
      cuts_channels_by_rows(sizes.channels, window.out[1] * window.out[2]),
      static_cast<double>(window.planes * window.out[1] * window.out[2]) * (1 + taps / 4));
  const std::int64_t row_step = window.dilation[1] * window.in[2] * block_lanes;
  const std::int64_t column_step = window.dilation[2] * block_lanes;
  const Uint8x16 flips = Uint8x16{} + flip;
  const auto pool_pixel = [&](const std::uint8_t* plane, const WindowRange& rows,
                              const WindowRange& columns, std::uint8_t* out) {
    const std::uint8_t* from =
        plane + (rows.start * window.in[2] + columns.start) * block_lanes + rows.begin * row_step;
    Uint8x16 largest = {};
    for (std::int64_t r = rows.begin; r < rows.end; ++r, from += row_step) {
      for (std::int64_t c = columns.begin; c < columns.end; ++c) {
        Uint8x16 pixel;
        std::memcpy(&pixel, from + c * column_step, sizeof pixel);
        pixel ^= flips;
        largest = pixel > largest ? pixel : largest;
      }
    }
    largest ^= flips;
    std::memcpy(out, &largest, sizeof largest);
  };
  cut.run(workers, [&](const PartitionTile& piece) {
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block) {
      const std::int64_t plane = piece.image * blocks + block;
      for (std::int64_t row = piece.row_begin; row < piece.row_end; ++row) {
        const WindowRange rows = window_range(window, 1, row);
        std::uint8_t* out = y + (plane * window.out[1] + row) * window.out[2] * block_lanes;
        for (std::int64_t column = 0; column < window.out[2]; ++column, out += block_lanes)
          pool_pixel(x + plane * in_pixels * block_lanes, rows, window_range(window, 2, column),
                     out);
      }
    }
  });
}

}  // namespace ortool::cpu
