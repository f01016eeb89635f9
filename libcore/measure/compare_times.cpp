// Run-time comparison: bootstrap intervals with a seeded generator.
#include "libcore/measure/compare_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libcore/base/random_bits.hpp"

namespace ortool {
namespace {

constexpr int resamples = 2000;
constexpr int halvings = 400;

/// The interquartile mean of `values`, which are reordered.
double mean_of_middle(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 4;
  return mean_of(std::span(values).subspan(cut, values.size() - 2 * cut));
}

/// The central interval of logarithms, as ratios.
Interval middle_share(std::vector<double> logarithms, double confidence) {
  std::sort(logarithms.begin(), logarithms.end());
  const double tail = (1 - confidence) / 2;
  const auto last = static_cast<double>(logarithms.size() - 1);
  const auto at = [&](double share) {
    return std::exp(logarithms[static_cast<std::size_t>(std::lround(share * last))]);
  };
  return {at(tail), at(1 - tail)};
}

RatioEstimate nothing_known(double ratio) {
  return {ratio, {0, std::numeric_limits<double>::infinity()}, 0};
}

void resample(std::span<const double> from, RandomBits& random, std::vector<double>& to) {
  for (double& value : to) value = from[random.below(from.size())];
}

}  // namespace

bool RatioEstimate::is_significant() const {
  const bool excludes_one = interval.low > 1 || interval.high < 1;
  return excludes_one && std::abs(ratio - 1) > noise_floor;
}

RatioEstimate compare_paired(std::span<const double> a, std::span<const double> b,
                             double confidence, std::uint64_t seed) {
  const std::size_t rounds = std::min(a.size(), b.size());
  std::vector<double> logarithms(rounds);
  for (std::size_t i = 0; i < rounds; ++i) logarithms[i] = std::log(a[i] / b[i]);
  std::vector<double> drawn = logarithms;
  RatioEstimate estimate = nothing_known(rounds == 0 ? 1 : std::exp(mean_of_middle(drawn)));
  if (rounds < 2) return estimate;
  RandomBits random(seed);
  std::vector<double> found(resamples);
  for (double& value : found) {
    resample(logarithms, random, drawn);
    value = mean_of_middle(drawn);
  }
  estimate.interval = middle_share(std::move(found), confidence);
  return estimate;
}

RatioEstimate compare_apart(std::span<const double> a, std::span<const double> b, double confidence,
                            std::uint64_t seed) {
  const double below = median_of({b.begin(), b.end()});
  RatioEstimate estimate = nothing_known(below > 0 ? median_of({a.begin(), a.end()}) / below : 1);
  if (a.size() < 2 || b.size() < 2) return estimate;
  RandomBits random(seed);
  std::vector<double> found(resamples);
  std::vector<double> drawn_a(a.size());
  std::vector<double> drawn_b(b.size());
  for (double& value : found) {
    resample(a, random, drawn_a);
    resample(b, random, drawn_b);
    value = std::log(median_of(drawn_a) / median_of(drawn_b));
  }
  estimate.interval = middle_share(std::move(found), confidence);
  return estimate;
}

double noise_floor(std::span<const double> times, std::uint64_t seed) {
  if (times.size() < 4) return 0;
  RandomBits random(seed);
  std::vector<double> shuffled(times.begin(), times.end());
  const auto half = static_cast<std::ptrdiff_t>(times.size() / 2);
  std::vector<double> differences(halvings);
  for (double& difference : differences) {
    for (std::size_t i = shuffled.size() - 1; i > 0; --i) {
      std::swap(shuffled[i], shuffled[random.below(i + 1)]);
    }
    const double one = median_of({shuffled.begin(), shuffled.begin() + half});
    const double other = median_of({shuffled.end() - half, shuffled.end()});
    difference = std::abs(std::log(one / other));
  }
  std::sort(differences.begin(), differences.end());
  return std::expm1(differences[halvings * 95 / 100] / std::sqrt(2.0));
}

std::string_view name_of(RegressionVerdict verdict) {
  switch (verdict) {
    case RegressionVerdict::pass:
      return "pass";
    case RegressionVerdict::regressed:
      return "regressed";
    case RegressionVerdict::inconclusive:
      return "inconclusive";
    case RegressionVerdict::incomparable:
      return "incomparable";
    default:
      return "new";
  }
}

RegressionVerdict judge_ratio(const RatioEstimate& estimate, double threshold) {
  const double most = 1 + threshold;
  if (estimate.ratio > most) {
    return estimate.is_significant() ? RegressionVerdict::regressed
                                     : RegressionVerdict::inconclusive;
  }
  const bool may_be_either = estimate.interval.low <= 1 && estimate.interval.high > most;
  return may_be_either ? RegressionVerdict::inconclusive : RegressionVerdict::pass;
}

RegressionVerdict judge_paired(const RatioEstimate& estimate, std::span<const double> a,
                               std::span<const double> b, double threshold) {
  const RegressionVerdict verdict = judge_ratio(estimate, threshold);
  if (verdict != RegressionVerdict::regressed) return verdict;
  const std::size_t half = std::min(a.size(), b.size()) / 2;
  const auto shows_it = [&](std::size_t begin) {
    std::vector<double> logarithms(half);
    for (std::size_t i = 0; i < half; ++i) logarithms[i] = std::log(a[begin + i] / b[begin + i]);
    return std::exp(mean_of_middle(logarithms)) > 1 + threshold / 2;
  };
  const bool is_steady = half > 0 && shows_it(0) && shows_it(std::min(a.size(), b.size()) - half);
  return is_steady ? RegressionVerdict::regressed : RegressionVerdict::inconclusive;
}

RegressionVerdict judge_bound(const Interval& measured, double bound) {
  if (measured.high <= bound) return RegressionVerdict::pass;
  return measured.low > bound ? RegressionVerdict::regressed : RegressionVerdict::inconclusive;
}

}  // namespace ortool
