// Which calibration samples fit what a recipe tries, and which say whether it was worth it.
#pragma once

#include <cstdint>
#include <vector>

namespace ortool {

struct SampleSplit {
  std::vector<std::int64_t> fitting;  ///< at most 128
  std::vector<std::int64_t> judging;  ///< at most 32
  bool is_apart = false;              ///< no sample does both
};

/// Every fifth of `count` samples judges, the others fit. Of fewer than twenty, which leave less
/// than four to judge, all do both.
SampleSplit split_samples(std::int64_t count);

/// The first of `count` samples, as many as may fit.
std::vector<std::int64_t> all_fitting(std::int64_t count);

}  // namespace ortool
