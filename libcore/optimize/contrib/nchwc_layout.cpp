// The size of blocks is inferred by an analysis of variance of the weights' magnitudes.
#include "libcore/optimize/contrib/nchwc_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ortool {
namespace {

// Docs: decisions/0078-plain-weights-from-blocks.md has the measurements behind both.
constexpr double least_deviations = 6;
constexpr double least_ratio = 1.25;
/// Magnitudes beyond this many times the mean count as that much, so that no element decides alone.
constexpr double largest_magnitude = 4;

struct Magnitudes {
  std::vector<float> values;  ///< in the order in which they are stored
  double mean = 0;
  double variance = 0;
};

Magnitudes magnitudes_of(std::span<const float> weights) {
  Magnitudes result;
  double sum = 0;
  for (const float each : weights) sum += std::abs(static_cast<double>(each));
  const auto count = static_cast<double>(weights.size());
  if (!std::isfinite(sum) || sum <= 0) return result;
  const double scale = count / sum;
  double total = 0;
  double squares = 0;
  result.values.reserve(weights.size());
  for (const float each : weights) {
    const double value = std::min(std::abs(static_cast<double>(each)) * scale, largest_magnitude);
    result.values.push_back(static_cast<float>(value));
    total += value;
    squares += value * value;
  }
  result.mean = total / count;
  result.variance = squares / count - result.mean * result.mean;
  return result;
}

/// The sum of squares between groups in units of the variance: its expectation is the number of
/// groups less one where groups do not matter.
double between_groups(const std::vector<double>& sums, const Magnitudes& magnitudes) {
  const double group_size =
      static_cast<double>(magnitudes.values.size()) / static_cast<double>(sums.size());
  double total = 0;
  for (const double sum : sums) {
    const double difference = sum / group_size - magnitudes.mean;
    total += group_size * difference * difference;
  }
  return total / magnitudes.variance;
}

double explained(const Shape& shape, const Magnitudes& magnitudes, std::int64_t block) {
  std::vector<double> filters(static_cast<std::size_t>(shape[0]));
  std::vector<double> channels(static_cast<std::size_t>(shape[1]));
  std::vector<double> places(static_cast<std::size_t>(shape[2] * shape[3]));
  auto from = magnitudes.values.begin();
  visit_blocked(shape, block, [&](std::int64_t filter, std::int64_t channel, std::int64_t place) {
    const auto value = static_cast<double>(*from++);
    filters[static_cast<std::size_t>(filter)] += value;
    channels[static_cast<std::size_t>(channel)] += value;
    places[static_cast<std::size_t>(place)] += value;
  });
  return between_groups(filters, magnitudes) + between_groups(channels, magnitudes) +
         between_groups(places, magnitudes);
}

}  // namespace

std::optional<std::int64_t> likely_block_size(std::span<const Tensor> weights, std::int64_t first,
                                              std::int64_t second) {
  constexpr double least_variance = 1e-9;
  double by_first = 0;
  double by_second = 0;
  double freedom = 0;
  for (const Tensor& each : weights) {
    const Tensor aligned = each.aligned();
    const Magnitudes magnitudes = magnitudes_of(aligned.data<float>());
    if (magnitudes.values.empty() || magnitudes.variance < least_variance) continue;
    const Shape& shape = each.shape();
    by_first += explained(shape, magnitudes, first);
    by_second += explained(shape, magnitudes, second);
    freedom += static_cast<double>(shape[0] + shape[1] + shape[2] * shape[3] - 3);
  }
  if (freedom <= 0) return std::nullopt;
  // By chance alone, each is distributed like chi-squared, with a variance of twice its freedom.
  const double deviation = std::sqrt(4 * freedom);
  const double more = std::max(by_first, by_second);
  const double less = std::min(by_first, by_second);
  const bool is_clear = more - less >= least_deviations * deviation &&
                        more - freedom >= least_ratio * std::max(0.0, less - freedom);
  if (!is_clear) return std::nullopt;
  return by_first > by_second ? first : second;
}

}  // namespace ortool
