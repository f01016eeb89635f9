// Winograd tile segments: ranges of the tile grid, split where rows of tiles end.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ortool::cpu {

/// Adjacent tiles of one row of tiles.
struct TileSegment {
  std::int64_t image;
  std::int64_t row;
  std::int64_t column;
  std::int64_t tiles;
  std::int64_t place;  ///< offset within the piece
};

/// Calls body(segment) for each segment of the `count` tiles from `begin` on; tiles are counted
/// over all images, each a grid of `rows` x `columns`.
template <typename Body>
void for_segments(std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t count,
                  Body body) {
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t row = (begin + done) / columns;
    const std::int64_t column = (begin + done) % columns;
    const std::int64_t tiles = std::min(columns - column, count - done);
    body(TileSegment{row / rows, row % rows, column, tiles, done});
    done += tiles;
  }
}

}  // namespace ortool::cpu
