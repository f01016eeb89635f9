// Percentiles with an interval from order statistics, and a refusal where samples are too few.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/measure/sample_blocks.hpp"

namespace ortool {

struct PercentileEstimate {
  double value = 0;
  Interval interval;
  /// False: the samples are too few for an interval, and the value is worth nothing.
  bool has_enough = false;
  /// Samples that it takes at least.
  std::int64_t needed = 0;
};

/// The `percent`-th percentile of `sorted` samples (ascending), in (0, 100): the smallest sample
/// that so many percent do not exceed. The interval lies between two samples whose ranks leave at
/// most half of what `confidence` lacks outside on either side, by the binomial distribution, which
/// assumes nothing about that of the samples. `design_effect` divides their number: see
/// design_effect().
PercentileEstimate estimate_percentile(std::span<const double> sorted, double percent,
                                       double confidence, double design_effect = 1);

}  // namespace ortool
