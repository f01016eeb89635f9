// Top-p filter and multinomial draws over scores.
#include "libcore/runtime/search/token_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace ortool {
namespace {

/// Softmax of sorted scores, summed up from the first.
std::vector<float> cumulative_softmax(const std::vector<float>& sorted) {
  const float largest = *std::max_element(sorted.begin(), sorted.end());
  std::vector<float> sums(sorted.size());
  float total = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) total += sums[i] = std::exp(sorted[i] - largest);
  float sum = 0;
  for (float& value : sums) value = sum += value / total;
  return sums;
}

}  // namespace

void filter_scores(const Sampling& op, std::span<float> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return op.keeps_from_top ? scores[a] > scores[b] : scores[a] < scores[b];
  });
  std::vector<float> sorted;
  sorted.reserve(order.size());
  for (const std::size_t token : order) sorted.push_back(scores[token]);
  const std::vector<float> sums = cumulative_softmax(sorted);
  if (op.keeps_from_top) {
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      if (sums[i] > op.top_p) scores[order[i + 1]] = op.filter_value;
    }
    return;
  }
  const auto kept = static_cast<std::size_t>(op.min_tokens_to_keep);
  for (std::size_t i = 0; i == 0 || i + kept < order.size(); ++i) {
    if (sums[i] <= 1 - op.top_p) scores[order[i]] = op.filter_value;
  }
}

void TokenSampler::draw(std::span<const float> scores, std::span<std::int32_t> tokens) {
  const std::size_t width = scores.size() / tokens.size();
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> sums(width);
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    const std::span<const float> own = scores.subspan(row * width, width);
    float largest = std::numeric_limits<float>::lowest();
    for (const float score : own) {
      if (std::isfinite(score)) largest = std::max(largest, score);
    }
    double total = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (std::isfinite(own[i]))
        total += std::exp(static_cast<double>(own[i]) - static_cast<double>(largest));
      sums[i] = total;
    }
    const auto found = std::upper_bound(sums.begin(), sums.end(), uniform(generator_) * total);
    const auto last = static_cast<std::ptrdiff_t>(width) - 1;
    tokens[row] = static_cast<std::int32_t>(std::min(found - sums.begin(), last));
  }
}

}  // namespace ortool
