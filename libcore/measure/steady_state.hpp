// Where a series of times stops changing: how much of its beginning is warm-up.
#pragma once

#include <cstddef>
#include <span>

namespace ortool {

struct SteadyState {
  /// Samples at the beginning that belong to the warm-up.
  std::size_t warmup = 0;
  /// False: the series still changes, whatever beginning is left away.
  bool is_steady = false;
};

/// Cuts the beginning off until the first third and the last half of what is left have medians that
/// differ by no more than chance would (three of their standard errors, from the median absolute
/// deviation) or than `tolerance`, a share of the median. Beginnings of up to half of the series
/// are tried, in steps of a sixteenth. Single outliers move nothing. At least `least` samples are
/// asked for, else it is not steady.
SteadyState find_steady_state(std::span<const double> samples, double tolerance = 0.01,
                              std::size_t least = 8);

/// The last half's median over the first half's, less one: how far a series has drifted.
double drift_of(std::span<const double> samples);

}  // namespace ortool
