// Sample split: held-out samples are spread over the set, which may be sorted by class.
#include "libcore/quantize/calibrate/sample_split.hpp"

#include <algorithm>

namespace ortool {
namespace {

/// More samples add little to the input moments of layers.
constexpr std::size_t max_fitting = 128;
constexpr std::size_t max_judging = 32;
constexpr std::int64_t min_to_split = 4;
/// From here on a fifth is enough to judge by, before a third.
constexpr std::int64_t many = 20;

}  // namespace

SampleSplit split_samples(std::int64_t count) {
  SampleSplit split;
  split.is_apart = count >= min_to_split;
  const std::int64_t one_in = count >= many ? 5 : 3;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool judges = split.is_apart && i % one_in == one_in - 1;
    if (!judges && split.fitting.size() < max_fitting) split.fitting.push_back(i);
    if ((judges || !split.is_apart) && split.judging.size() < max_judging)
      split.judging.push_back(i);
  }
  return split;
}

std::vector<std::int64_t> added_to_fitting(std::int64_t count) {
  SampleSplit split = split_samples(count);
  if (!split.is_apart) return {};
  split.judging.resize(std::min(split.judging.size(), max_fitting - split.fitting.size()));
  return split.judging;
}

}  // namespace ortool
