// Percentile intervals: finds ranks by bisection over the binomial distribution.
#include "libcore/measure/percentile.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/measure/distributions.hpp"

namespace ortool {
namespace {

/// The smallest k for which the probability of at most k successes exceeds `bound`.
std::int64_t first_rank_over(double bound, std::int64_t trials, double chance) {
  std::int64_t low = 0;
  std::int64_t high = trials;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (binomial_at_most(middle, trials, chance) > bound) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

PercentileEstimate estimate_percentile(std::span<const double> sorted, double percent,
                                       double confidence, double design_effect) {
  const double chance = percent / 100;
  const double tail = (1 - confidence) / 2;
  PercentileEstimate estimate;
  const double rare = std::max(chance, 1 - chance);
  estimate.needed =
      static_cast<std::int64_t>(std::ceil(std::log(tail) / std::log(rare) * design_effect));
  if (sorted.empty()) return estimate;
  const auto count = static_cast<std::int64_t>(sorted.size());
  const auto at_rank = [&](double rank) {
    const auto place = static_cast<std::int64_t>(rank) - 1;
    return sorted[static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, count - 1))];
  };
  estimate.value = at_rank(std::ceil(chance * static_cast<double>(count)));

  // The effective number of independent samples; ranks among these are scaled to all samples.
  const auto worth = static_cast<std::int64_t>(static_cast<double>(count) / design_effect);
  if (worth < 1) return estimate;
  const double scale = static_cast<double>(count) / static_cast<double>(worth);
  // P(fewer than `low` samples below) <= tail, P(`high` or more below) <= tail.
  const std::int64_t low = first_rank_over(tail, worth, chance);
  const std::int64_t high = first_rank_over(1 - tail, worth, chance) + 1;
  estimate.has_enough = low >= 1 && high <= worth;
  estimate.interval = {
      at_rank(std::floor(static_cast<double>(std::max<std::int64_t>(low, 1)) * scale)),
      at_rank(std::ceil(static_cast<double>(std::min(high, worth)) * scale))};
  return estimate;
}

}  // namespace ortool
