// Partition of work on images: everything is covered once, in equal halves, by rows or by channels.
#include "kernels/cpu/parallel/spatial_partition.hpp"

#include <vector>

#include <catch2/catch.hpp>

namespace ortool::cpu {
namespace {

std::vector<PartitionTile> pieces_of(const SpatialPartition& cut) {
  std::vector<PartitionTile> pieces;
  Workers alone;
  cut.run(alone, [&](const PartitionTile& piece) { pieces.push_back(piece); });
  return pieces;
}

TEST_CASE("pieces of an image cover each row of each block once") {
  for (const double nanoseconds : {0.0, 5e3, 2e4, 1e5, 1e7}) {
    for (const bool is_by_rows : {false, true}) {
      const SpatialPartition cut(2, 7, 5, is_by_rows, nanoseconds);
      std::vector<int> seen(2 * 7 * 5, 0);
      for (const PartitionTile& piece : pieces_of(cut)) {
        for (std::int64_t row = piece.row_begin; row < piece.row_end; ++row) {
          for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block)
            ++seen[static_cast<std::size_t>((piece.image * 7 + row) * 5 + block)];
        }
      }
      CHECK(seen == std::vector<int>(2 * 7 * 5, 1));
    }
  }
}

TEST_CASE("the first half of the pieces is the upper half of the rows, or of the channels") {
  const std::vector<PartitionTile> by_rows = pieces_of(SpatialPartition(1, 8, 6, true, 4e4));
  REQUIRE(by_rows.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(by_rows[i].row_begin == static_cast<std::int64_t>(2 * i));
    CHECK(by_rows[i].block_end == 6);
  }
  const std::vector<PartitionTile> by_channels = pieces_of(SpatialPartition(1, 8, 6, false, 4e4));
  REQUIRE(by_channels.size() == 4);
  CHECK(by_channels[1].block_end == 3);
  CHECK(by_channels[2].block_begin == 3);
  CHECK(by_channels[0].row_end == 8);
}

TEST_CASE("parts that are odd in number are cut once more, so that two threads get as much") {
  const std::vector<PartitionTile> pieces = pieces_of(SpatialPartition(1, 7, 5, false, 6e4));
  REQUIRE(pieces.size() == 10);
  std::int64_t upper = 0;
  for (std::size_t i = 0; i < 5; ++i)
    upper +=
        (pieces[i].row_end - pieces[i].row_begin) * (pieces[i].block_end - pieces[i].block_begin);
  CHECK(upper == 17);
}

TEST_CASE("work of a microsecond is not cut, and long work into no more parts than pay") {
  CHECK(SpatialPartition(1, 100, 100, true, 1e3).tasks() == 1);
  CHECK(SpatialPartition(1, 1000, 1000, true, 1e9).tasks() == 128);
  CHECK(SpatialPartition(1000, 10, 10, true, 1e5).tasks() <= 16);
}

}  // namespace
}  // namespace ortool::cpu
