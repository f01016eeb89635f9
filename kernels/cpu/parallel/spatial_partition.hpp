// Spatial partition: how work on NCHWc images is cut into tasks. Steps that follow each other are
// cut alike, so that a thread finds in its own cache what it made a step before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/parallel/task_grain.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// What one task computes: rows and blocks of channels of one image's result.
struct PartitionTile {
  std::int64_t image;
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t block_begin;
  std::int64_t block_end;
};

/// A step whose result is `batch` images of `rows` rows and `blocks` blocks of channels. Where
/// channels are few and images large, it is cut by rows: the next step needs the same rows and a
/// few more. Else it is cut by channels, each of which has weights that only one thread reads then.
class SpatialPartition {
 public:
  /// All sizes at least 1. `nanoseconds`: what the step takes one thread.
  SpatialPartition(std::int64_t batch, std::int64_t rows, std::int64_t blocks, bool is_by_rows,
                   double nanoseconds)
      : batch_(batch), rows_(rows), blocks_(blocks), is_by_rows_(is_by_rows) {
    const std::int64_t wanted = worthwhile_tasks(nanoseconds);
    const std::int64_t wanted_pieces = (wanted + batch - 1) / batch;
    std::int64_t& first = is_by_rows ? bands_ : shares_;
    std::int64_t& second = is_by_rows ? shares_ : bands_;
    first = std::min(wanted_pieces, is_by_rows ? rows : blocks);
    // A few parts that are odd in number cannot be halved.
    const bool is_uneven = first > 1 && first < 16 && first % 2 == 1;
    // What is cut both ways is read more than once.
    constexpr std::int64_t enough = 16;
    const std::int64_t rest = first < enough
                                  ? std::max<std::int64_t>((wanted_pieces + first - 1) / first, 1)
                                  : std::max<std::int64_t>(wanted_pieces / (4 * first), 1);
    second =
        std::min(is_uneven ? std::max<std::int64_t>(rest, 2) : rest, is_by_rows ? blocks : rows);
    grain_ = (batch + wanted - 1) / wanted;
  }

  std::int64_t tasks() const { return (batch_ * bands_ * shares_ + grain_ - 1) / grain_; }

  /// Calls `compute(piece)` for all pieces.
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

/// Whether a step of each channel by itself is cut by rows, as the products next to it then are.
inline bool cuts_channels_by_rows(std::int64_t channels, std::int64_t pixels) {
  return channels <= 3 * pixels;
}

}  // namespace ortool::cpu
