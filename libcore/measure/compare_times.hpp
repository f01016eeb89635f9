// How many times slower one thing is than another, how sure that is, and what chance alone shows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/measure/sample_blocks.hpp"

namespace ortool {

struct RatioEstimate {
  double ratio = 1;
  Interval interval;
  /// What the same thing measured twice would differ by, as a share: see noise_floor().
  double noise_floor = 0;

  /// The interval holds no 1, and the ratio is further from 1 than the noise floor.
  bool is_significant() const;
};

/// a / b from times taken in pairs, one of each a round: the mean of the middle half of the
/// logarithms of their ratios, so that what slows a whole round down, and rounds that were hit in
/// one half only, do not count. The interval by the bootstrap over rounds, percentiles of 2000
/// resamples drawn with `seed`. Spans of equal length, at least 2 long; else the interval reaches
/// from 0 to infinity.
RatioEstimate compare_paired(std::span<const double> a, std::span<const double> b,
                             double confidence, std::uint64_t seed);

/// a / b from times taken at different moments: the ratio of medians, each side resampled for
/// itself.
RatioEstimate compare_apart(std::span<const double> a, std::span<const double> b, double confidence,
                            std::uint64_t seed);

/// What two measurements as long as this one would differ by though nothing changed, in 95 of 100
/// cases: the share by which the medians of two random halves differ, over 400 ways of halving,
/// divided by the root of two since halves are half as long. 0 of fewer than four.
double noise_floor(std::span<const double> times, std::uint64_t seed);

enum class RegressionVerdict { pass, regressed, inconclusive, incomparable, fresh };

/// "pass", "regressed", "inconclusive", "incomparable", "new".
std::string_view name_of(RegressionVerdict verdict);

/// Regressed: significantly slower, and by more than `threshold` (0.05 for 5 %). Inconclusive: the
/// interval holds both no change and a change beyond the threshold, or a ratio beyond it is not
/// significant.
RegressionVerdict judge_ratio(const RatioEstimate& estimate, double threshold);

/// judge_ratio() of times taken in pairs, where a regression counts only when the first and the
/// last half of the rounds, each for itself, show at least half of the threshold: a machine that
/// was busy for a while may hit one side more than the other, but hardly in both halves.
RegressionVerdict judge_paired(const RatioEstimate& estimate, std::span<const double> a,
                               std::span<const double> b, double threshold);

/// Of a bound that a measured value must not exceed: regressed when all of the interval lies above
/// it, inconclusive when it holds the bound.
RegressionVerdict judge_bound(const Interval& measured, double bound);

}  // namespace ortool
