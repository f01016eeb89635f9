// Steady-state detection: how many initial samples are warm-up.
#pragma once

#include <cstddef>
#include <span>

namespace ortool {

struct SteadyState {
  /// The number of initial samples that belong to the warm-up.
  std::size_t warmup = 0;
  /// False: the series keeps changing, whatever prefix is removed.
  bool is_steady = false;
};

/// Removes a prefix such that the medians of the first third and of the last half of the rest
/// differ by no more than chance (three standard errors, from the median absolute deviation), or by
/// no more than `tolerance`, relative to the median. Prefixes of up to half of the series are
/// tried, in steps of a sixteenth. Single outliers have no effect. With fewer than `least` samples
/// the series is not steady.
SteadyState find_steady_state(std::span<const double> samples, double tolerance = 0.01,
                              std::size_t least = 8);

/// The ratio of the medians of the last and the first half, minus one: the drift of a series.
double drift_of(std::span<const double> samples);

}  // namespace ortool
