// Reorders of int8 tensors between NCHW and NCHW16c, one channel block at a time.
#include "kernels/cpu/conv/reorder_int8.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/parallel/spatial_partition.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t lanes = 16;

/// Calls `move(plain offset, blocked offset, channels, pixels)` for ranges of each block.
template <typename Move>
void for_byte_ranges(const ReorderSizes& sizes, Workers& workers, Move move) {
  constexpr std::int64_t pixels_together = 64;
  constexpr double nanoseconds_a_byte = 0.3;
  const std::int64_t blocks = (sizes.channels + lanes - 1) / lanes;
  const std::int64_t ranges = (sizes.pixels + pixels_together - 1) / pixels_together;
  if (sizes.batch * blocks * ranges <= 0) return;
  const SpatialPartition cut(
      sizes.batch, ranges, blocks, cuts_channels_by_rows(sizes.channels, sizes.pixels),
      nanoseconds_a_byte * static_cast<double>(sizes.batch * blocks * lanes * sizes.pixels));
  cut.run(workers, [&](const PartitionTile& piece) {
    const std::int64_t begin = piece.row_begin * pixels_together;
    const std::int64_t end = std::min(piece.row_end * pixels_together, sizes.pixels);
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block) {
      for (std::int64_t first = begin; first < end; first += pixels_together) {
        move((piece.image * sizes.channels + block * lanes) * sizes.pixels + first,
             ((piece.image * blocks + block) * sizes.pixels + first) * lanes,
             std::min(lanes, sizes.channels - block * lanes),
             std::min(pixels_together, end - first));
      }
    }
  });
}

using Uint8x16 [[gnu::vector_size(16)]] = std::uint8_t;

/// One step of a byte transpose: interleaves the first half of the rows with the second half.
inline void pair_rows(const Uint8x16 (&rows)[lanes], Uint8x16 (&paired)[lanes]) {
  for (std::int64_t i = 0; i < lanes / 2; ++i) {
    const Uint8x16 a = rows[i];
    const Uint8x16 b = rows[i + lanes / 2];
    paired[2 * i] =
        __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    paired[2 * i + 1] =
        __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/// Transposes sixteen rows of sixteen bytes.
void transpose_bytes(const std::uint8_t* from, std::int64_t from_stride, std::uint8_t* to,
                     std::int64_t to_stride) {
  Uint8x16 rows[lanes];
  Uint8x16 paired[lanes];
  for (std::int64_t i = 0; i < lanes; ++i)
    std::memcpy(&rows[i], from + i * from_stride, sizeof(Uint8x16));
  pair_rows(rows, paired);
  pair_rows(paired, rows);
  pair_rows(rows, paired);
  pair_rows(paired, rows);
  for (std::int64_t i = 0; i < lanes; ++i)
    std::memcpy(to + i * to_stride, &rows[i], sizeof(Uint8x16));
}

/// Calls `turn(first)` for each sixteen of `pixels`, where the last call may overlap the one
/// before; returns how many pixels are done: all, or none if there are fewer than sixteen.
template <typename Turn>
std::int64_t transpose_all(std::int64_t pixels, Turn turn) {
  if (pixels < lanes) return 0;
  for (std::int64_t first = 0; first + lanes <= pixels; first += lanes) turn(first);
  if (pixels % lanes != 0) turn(pixels - lanes);
  return pixels;
}

}  // namespace

void reorder_int8_to_nchwc(const ReorderSizes& sizes, const std::uint8_t* plain,
                           std::uint8_t* blocked, Workers& workers) {
  for_byte_ranges(
      sizes, workers,
      [&](std::int64_t from, std::int64_t to, std::int64_t channels, std::int64_t pixels) {
        const std::int64_t done =
            transpose_all(channels == lanes ? pixels : 0, [&](std::int64_t first) {
              transpose_bytes(plain + from + first, sizes.pixels, blocked + to + first * lanes,
                              lanes);
            });
        if (channels < lanes)
          std::memset(blocked + to, 0, static_cast<std::size_t>(pixels * lanes));
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          const std::uint8_t* row = plain + from + channel * sizes.pixels;
          for (std::int64_t i = done; i < pixels; ++i) blocked[to + i * lanes + channel] = row[i];
        }
      });
}

void reorder_int8_to_nchw(const ReorderSizes& sizes, const std::uint8_t* blocked,
                          std::uint8_t* plain, Workers& workers) {
  for_byte_ranges(
      sizes, workers,
      [&](std::int64_t to, std::int64_t from, std::int64_t channels, std::int64_t pixels) {
        const std::int64_t done =
            transpose_all(channels == lanes ? pixels : 0, [&](std::int64_t first) {
              transpose_bytes(blocked + from + first * lanes, lanes, plain + to + first,
                              sizes.pixels);
            });
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          std::uint8_t* row = plain + to + channel * sizes.pixels;
          for (std::int64_t i = done; i < pixels; ++i) row[i] = blocked[from + i * lanes + channel];
        }
      });
}

}  // namespace ortool::cpu
