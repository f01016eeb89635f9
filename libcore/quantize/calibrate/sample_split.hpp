// Split of the calibration samples into a fitting set and a held-out validation set.
#pragma once

#include <cstdint>
#include <vector>

namespace ortool {

struct SampleSplit {
  std::vector<std::int64_t> fitting;  ///< at most 128
  std::vector<std::int64_t> judging;  ///< at most 32
  bool is_apart = false;              ///< the two sets are disjoint
};

/// Every fifth of `count` samples is held out, with fewer than twenty every third; the others are
/// for fitting. With fewer than four all samples are in both sets.
SampleSplit split_samples(std::int64_t count);

/// The held-out samples of `count` that a last fit may use as well: as many as there is room for.
std::vector<std::int64_t> added_to_fitting(std::int64_t count);

}  // namespace ortool
