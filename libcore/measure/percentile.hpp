// Percentiles with confidence intervals from order statistics, if there are enough samples.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/measure/sample_blocks.hpp"

namespace ortool {

struct PercentileEstimate {
  double value = 0;
  Interval interval;
  /// False: too few samples for an interval, and the value is meaningless.
  bool has_enough = false;
  /// The minimum number of samples.
  std::int64_t needed = 0;
};

/// The `percent`-th percentile of `sorted` samples (ascending), in (0, 100): the smallest sample
/// that at least this percentage does not exceed. The interval is bounded by two samples whose
/// ranks leave at most half of 1 - `confidence` outside on either side, by the binomial
/// distribution, without assumptions about the distribution of the samples. `design_effect` divides
/// their number: see design_effect().
PercentileEstimate estimate_percentile(std::span<const double> sorted, double percent,
                                       double confidence, double design_effect = 1);

}  // namespace ortool
