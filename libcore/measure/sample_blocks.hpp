// Samples in the blocks they were taken in, and what their blocks tell about their mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ortool {

/// What a value lies between, with the confidence that was asked for.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Runs one after the other, then a pause in which something else ran, then the next block.
using SampleBlocks = std::vector<std::vector<double>>;

/// The middle one, or the mean of the two middle ones; 0 of none.
double median_of(std::vector<double> values);
double mean_of(std::span<const double> values);
/// Sum of squared distances from the mean by one less than the count; 0 of fewer than two.
double variance_of(std::span<const double> values);

std::int64_t count_samples(const SampleBlocks& blocks);
/// All of them in the order in which they were taken.
std::vector<double> all_samples(const SampleBlocks& blocks);
std::vector<double> block_medians(const SampleBlocks& blocks);

/// Of the mean of all samples, from the means of the blocks, since samples of one block resemble
/// each other: Student's t on as many blocks. Fewer than two blocks give the interval from minus to
/// plus infinity.
Interval mean_interval(const SampleBlocks& blocks, double confidence);

/// How many times fewer independent samples the blocks are worth than they hold: the variance of
/// block means over what it would be were all samples independent (Kish's design effect), at least
/// 1. 1 for fewer than two blocks.
double design_effect(const SampleBlocks& blocks);

}  // namespace ortool
