// Sample blocks: block-wise samples with mean interval and design effect.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ortool {

/// A confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Consecutive runs, then a pause in which something else ran, then the next block.
using SampleBlocks = std::vector<std::vector<double>>;

/// The median; for an even number the mean of the middle two, 0 for none.
double median_of(std::vector<double> values);
double mean_of(std::span<const double> values);
/// The sample variance (divided by n - 1); 0 for fewer than two.
double variance_of(std::span<const double> values);

std::int64_t count_samples(const SampleBlocks& blocks);
/// All samples in the order of measurement.
std::vector<double> all_samples(const SampleBlocks& blocks);
std::vector<double> block_medians(const SampleBlocks& blocks);

/// The confidence interval of the mean, from block means, since samples within a block are
/// correlated: Student's t over the blocks. For fewer than two blocks the interval is from minus to
/// plus infinity.
Interval mean_interval(const SampleBlocks& blocks, double confidence);

/// The factor by which correlation reduces the effective number of samples: the variance of block
/// means relative to what it would be for independent samples (Kish's design effect), at least 1. 1
/// for fewer than two blocks.
double design_effect(const SampleBlocks& blocks);

}  // namespace ortool
