// One block of channels after the other; a pixel's block is a vector on every processor.
#include "kernels/cpu/conv/int8_nchwc/pool_and_reorder.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/pooling/pool_window.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t lanes = 16;

/// Calls `move(plain offset, blocked offset, channels, pixels)` for stretches of each block.
template <typename Move>
void for_byte_stretches(const ReorderSizes& sizes, Workers& workers, Move move) {
  constexpr std::int64_t together = 64;
  constexpr double nanoseconds_a_byte = 0.3;
  const std::int64_t blocks = (sizes.channels + lanes - 1) / lanes;
  const std::int64_t stretches = (sizes.pixels + together - 1) / together;
  if (sizes.batch * blocks * stretches <= 0) return;
  const ImageCut cut(
      sizes.batch, stretches, blocks, cuts_channels_by_rows(sizes.channels, sizes.pixels),
      nanoseconds_a_byte * static_cast<double>(sizes.batch * blocks * lanes * sizes.pixels));
  cut.run(workers, [&](const ImagePiece& piece) {
    const std::int64_t begin = piece.row_begin * together;
    const std::int64_t end = std::min(piece.row_end * together, sizes.pixels);
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block) {
      for (std::int64_t first = begin; first < end; first += together) {
        move((piece.image * sizes.channels + block * lanes) * sizes.pixels + first,
             ((piece.image * blocks + block) * sizes.pixels + first) * lanes,
             std::min(lanes, sizes.channels - block * lanes), std::min(together, end - first));
      }
    }
  });
}

using ByteRow [[gnu::vector_size(16)]] = std::uint8_t;

/// Pairs half of the rows with the other half: moves a bit of a byte's row to its column.
inline void pair_rows(const ByteRow (&rows)[lanes], ByteRow (&paired)[lanes]) {
  for (std::int64_t i = 0; i < lanes / 2; ++i) {
    const ByteRow a = rows[i];
    const ByteRow b = rows[i + lanes / 2];
    paired[2 * i] =
        __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    paired[2 * i + 1] =
        __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/// Sixteen rows of sixteen bytes, turned.
void turn_bytes(const std::uint8_t* from, std::int64_t from_stride, std::uint8_t* to,
                std::int64_t to_stride) {
  ByteRow rows[lanes];
  ByteRow paired[lanes];
  for (std::int64_t i = 0; i < lanes; ++i)
    std::memcpy(&rows[i], from + i * from_stride, sizeof(ByteRow));
  pair_rows(rows, paired);
  pair_rows(paired, rows);
  pair_rows(rows, paired);
  pair_rows(paired, rows);
  for (std::int64_t i = 0; i < lanes; ++i)
    std::memcpy(to + i * to_stride, &rows[i], sizeof(ByteRow));
}

/// Calls `turn(first)` for sixteen pixels each of `pixels`, the last ones of which may be turned
/// twice; returns how many pixels are done: all, or none of fewer than sixteen.
template <typename Turn>
std::int64_t turn_all(std::int64_t pixels, Turn turn) {
  if (pixels < lanes) return 0;
  for (std::int64_t first = 0; first + lanes <= pixels; first += lanes) turn(first);
  if (pixels % lanes != 0) turn(pixels - lanes);
  return pixels;
}

}  // namespace

void reorder_bytes_to_blocked(const ReorderSizes& sizes, const std::uint8_t* plain,
                              std::uint8_t* blocked, Workers& workers) {
  for_byte_stretches(
      sizes, workers,
      [&](std::int64_t from, std::int64_t to, std::int64_t channels, std::int64_t pixels) {
        const std::int64_t done = turn_all(channels == lanes ? pixels : 0, [&](std::int64_t first) {
          turn_bytes(plain + from + first, sizes.pixels, blocked + to + first * lanes, lanes);
        });
        if (channels < lanes)
          std::memset(blocked + to, 0, static_cast<std::size_t>(pixels * lanes));
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          const std::uint8_t* row = plain + from + channel * sizes.pixels;
          for (std::int64_t i = done; i < pixels; ++i) blocked[to + i * lanes + channel] = row[i];
        }
      });
}

void reorder_bytes_to_plain(const ReorderSizes& sizes, const std::uint8_t* blocked,
                            std::uint8_t* plain, Workers& workers) {
  for_byte_stretches(
      sizes, workers,
      [&](std::int64_t to, std::int64_t from, std::int64_t channels, std::int64_t pixels) {
        const std::int64_t done = turn_all(channels == lanes ? pixels : 0, [&](std::int64_t first) {
          turn_bytes(blocked + from + first * lanes, lanes, plain + to + first, sizes.pixels);
        });
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          std::uint8_t* row = plain + to + channel * sizes.pixels;
          for (std::int64_t i = done; i < pixels; ++i) row[i] = blocked[from + i * lanes + channel];
        }
      });
}

void max_pool_blocked_bytes(const BlockedPoolSizes& sizes, std::uint8_t flip, const std::uint8_t* x,
                            std::uint8_t* y, Workers& workers) {
  const PoolSizes& window = sizes.window;
  const std::int64_t blocks = (sizes.channels + lanes - 1) / lanes;
  const std::int64_t in_pixels = window.in[1] * window.in[2];
  if (window.planes * window.out[1] * window.out[2] <= 0) return;
  const auto taps = static_cast<double>(window.kernel[1] * window.kernel[2]);
  const ImageCut cut(
      sizes.batch, window.out[1], blocks,
      cuts_channels_by_rows(sizes.channels, window.out[1] * window.out[2]),
      static_cast<double>(window.planes * window.out[1] * window.out[2]) * (1 + taps / 4));
  const std::int64_t row_step = window.dilation[1] * window.in[2] * lanes;
  const std::int64_t column_step = window.dilation[2] * lanes;
  const ByteRow flips = ByteRow{} + flip;
  const auto pool_pixel = [&](const std::uint8_t* plane, const WindowRange& rows,
                              const WindowRange& columns, std::uint8_t* out) {
    const std::uint8_t* from =
        plane + (rows.start * window.in[2] + columns.start) * lanes + rows.begin * row_step;
    ByteRow largest = {};
    for (std::int64_t r = rows.begin; r < rows.end; ++r, from += row_step) {
      for (std::int64_t c = columns.begin; c < columns.end; ++c) {
        ByteRow pixel;
        std::memcpy(&pixel, from + c * column_step, sizeof pixel);
        pixel ^= flips;
        largest = pixel > largest ? pixel : largest;
      }
    }
    largest ^= flips;
    std::memcpy(out, &largest, sizeof largest);
  };
  cut.run(workers, [&](const ImagePiece& piece) {
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block) {
      const std::int64_t plane = piece.image * blocks + block;
      for (std::int64_t row = piece.row_begin; row < piece.row_end; ++row) {
        const WindowRange rows = window_range(window, 1, row);
        std::uint8_t* out = y + (plane * window.out[1] + row) * window.out[2] * lanes;
        for (std::int64_t column = 0; column < window.out[2]; ++column, out += lanes)
          pool_pixel(x + plane * in_pixels * lanes, rows, window_range(window, 2, column), out);
      }
    }
  });
}

}  // namespace ortool::cpu
