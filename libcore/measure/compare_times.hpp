// Comparison of run times: ratio with confidence interval, noise floor, and regression verdict.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/measure/sample_blocks.hpp"

namespace ortool {

struct RatioEstimate {
  double ratio = 1;
  Interval interval;
  /// The relative difference between two measurements of the same thing: see noise_floor().
  double noise_floor = 0;

  /// The interval excludes 1, and the ratio differs from 1 by more than the noise floor.
  bool is_significant() const;
};

/// a / b from times measured in pairs, one of each per round: the interquartile mean of the log
/// ratios, so that slowdowns of a whole round, and outliers in one half of it, do not count. The
/// interval is a percentile bootstrap over rounds, with 2000 resamples drawn with `seed`. The spans
/// must have equal length of at least 2; otherwise the interval is from 0 to infinity.
RatioEstimate compare_paired(std::span<const double> a, std::span<const double> b,
                             double confidence, std::uint64_t seed);

/// a / b from times measured at different moments: the ratio of medians, with each side resampled
/// independently.
RatioEstimate compare_apart(std::span<const double> a, std::span<const double> b, double confidence,
                            std::uint64_t seed);

/// The relative difference, not exceeded in 95 of 100 cases, between two measurements of this
/// length without any change: the relative difference between the medians of two random halves,
/// over 400 random splits, divided by the square root of two since halves are half as long. 0 for
/// fewer than four.
double noise_floor(std::span<const double> times, std::uint64_t seed);

enum class RegressionVerdict { pass, regressed, inconclusive, incomparable, fresh };

/// "pass", "regressed", "inconclusive", "incomparable", "new".
std::string_view name_of(RegressionVerdict verdict);

/// Regressed: significantly slower, by more than `threshold` (0.05 for 5 %). Inconclusive: the
/// interval contains both no change and a change beyond the threshold, or a ratio beyond it is not
/// significant.
RegressionVerdict judge_ratio(const RatioEstimate& estimate, double threshold);

/// judge_ratio() for times measured in pairs, where a regression counts only if the first and the
/// second half of the rounds each show at least half of the threshold: a temporary load may affect
/// one side more than the other, but hardly in both halves.
RegressionVerdict judge_paired(const RatioEstimate& estimate, std::span<const double> a,
                               std::span<const double> b, double threshold);

/// For a bound that a measured value must not exceed: regressed when the whole interval is above
/// it, inconclusive when the interval contains the bound.
RegressionVerdict judge_bound(const Interval& measured, double bound);

}  // namespace ortool
