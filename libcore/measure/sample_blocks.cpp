// Sample blocks: means, variances, and the correlation of samples within a block.
#include "libcore/measure/sample_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/measure/distributions.hpp"

namespace ortool {
namespace {

std::vector<double> block_means(const SampleBlocks& blocks) {
  std::vector<double> means;
  for (const auto& block : blocks) {
    if (!block.empty()) means.push_back(mean_of(block));
  }
  return means;
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double mean_of(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

std::int64_t count_samples(const SampleBlocks& blocks) {
  std::size_t count = 0;
  for (const auto& block : blocks) count += block.size();
  return static_cast<std::int64_t>(count);
}

std::vector<double> all_samples(const SampleBlocks& blocks) {
  std::vector<double> all;
  for (const auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
  return all;
}

std::vector<double> block_medians(const SampleBlocks& blocks) {
  std::vector<double> medians;
  for (const auto& block : blocks) {
    if (!block.empty()) medians.push_back(median_of(block));
  }
  return medians;
}

Interval mean_interval(const SampleBlocks& blocks, double confidence) {
  const std::vector<double> means = block_means(blocks);
  if (means.size() < 2) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {-infinity, infinity};
  }
  const auto count = static_cast<double>(means.size());
  const double middle = mean_of(means);
  const double half_width =
      student_quantile((1 + confidence) / 2, count - 1) * std::sqrt(variance_of(means) / count);
  return {middle - half_width, middle + half_width};
}

double design_effect(const SampleBlocks& blocks) {
  const std::vector<double> means = block_means(blocks);
  const double variance = variance_of(all_samples(blocks));
  if (means.size() < 2 || variance <= 0) return 1;
  const double block_size =
      static_cast<double>(count_samples(blocks)) / static_cast<double>(means.size());
  return std::clamp(variance_of(means) * block_size / variance, 1.0, std::max(1.0, block_size));
}

}  // namespace ortool
