// Spatial partition: how work on NCHWc images is split into tasks. Consecutive operators are split
// alike, so that a thread finds its own results of the previous one in its cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/parallel/grain_size.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The work of one task: rows and channel blocks of one image's output.
struct PartitionTile {
  std::int64_t image;
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t block_begin;
  std::int64_t block_end;
};

/// The partition of an operator whose output is `batch` images of `rows` rows and `blocks` channel
/// blocks. With few channels and large images it is split by rows: the next operator needs the same
/// rows and a few more. Otherwise it is split by channels, so that each weight is read by a single
/// thread.
class SpatialPartition {
 public:
  /// All sizes are at least 1. `nanoseconds`: estimated single-threaded time.
  SpatialPartition(std::int64_t batch, std::int64_t rows, std::int64_t blocks, bool is_by_rows,
                   double nanoseconds)
      : batch_(batch), rows_(rows), blocks_(blocks), is_by_rows_(is_by_rows) {
    const std::int64_t wanted = task_count(nanoseconds);
    const std::int64_t wanted_pieces = (wanted + batch - 1) / batch;
    std::int64_t& first = is_by_rows ? bands_ : shares_;
    std::int64_t& second = is_by_rows ? shares_ : bands_;
    first = std::min(wanted_pieces, is_by_rows ? rows : blocks);
    // A small odd number of parts cannot be halved evenly.
    const bool is_uneven = first > 1 && first < 16 && first % 2 == 1;
    // Splitting in both directions reads some data more than once.
    constexpr std::int64_t enough = 16;
    const std::int64_t rest = first < enough
                                  ? std::max<std::int64_t>((wanted_pieces + first - 1) / first, 1)
                                  : std::max<std::int64_t>(wanted_pieces / (4 * first), 1);
    second =
        std::min(is_uneven ? std::max<std::int64_t>(rest, 2) : rest, is_by_rows ? blocks : rows);
    grain_ = (batch + wanted - 1) / wanted;
  }

  std::int64_t tasks() const { return (batch_ * bands_ * shares_ + grain_ - 1) / grain_; }

  /// Calls `compute(piece)` for all tiles of the partition.
  template <typename Compute>
  void run(Workers& workers, Compute compute) const {
    const std::int64_t pieces = bands_ * shares_;
    workers.parallel_ranges(batch_ * pieces, grain_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t piece = i % pieces;
        const std::int64_t band = is_by_rows_ ? piece / shares_ : piece % bands_;
        const std::int64_t share = is_by_rows_ ? piece % shares_ : piece / bands_;
        compute(PartitionTile{i / pieces, rows_ * band / bands_, rows_ * (band + 1) / bands_,
                              blocks_ * share / shares_, blocks_ * (share + 1) / shares_});
      }
    });
  }

 private:
  std::int64_t batch_;
  std::int64_t rows_;
  std::int64_t blocks_;
  bool is_by_rows_;
  std::int64_t bands_ = 1;
  std::int64_t shares_ = 1;
  std::int64_t grain_ = 1;
};

/// Whether a depthwise operator is split by rows, as the dense convolutions next to it are.
inline bool cuts_channels_by_rows(std::int64_t channels, std::int64_t pixels) {
  return channels <= 3 * pixels;
}

}  // namespace ortool::cpu
