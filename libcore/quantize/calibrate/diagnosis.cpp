// Calibration diagnostics are derived from the records alone; no sample is run again.
#include "libcore/quantize/calibrate/diagnosis.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr double converged_share = 0.95;  // the share of a range, and of the values

/// The number of samples after which the observed range covers most of `wanted`.
std::int64_t converged_after(const ValueRecord& record, const ValueRange& wanted) {
  const std::vector<ValueRange> prefixes = record.prefix_ranges();
  const double width = wanted.high - wanted.low;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    const double covered = std::clamp(prefixes[i].high, wanted.low, wanted.high) -
                           std::clamp(prefixes[i].low, wanted.low, wanted.high);
    // Every range includes zero, whether or not it was observed.
    const double with_zero = std::max(std::clamp(prefixes[i].high, 0.0, wanted.high) -
                                          std::clamp(prefixes[i].low, wanted.low, 0.0),
                                      covered);
    if (with_zero >= converged_share * width) {
      return ValueRecord::first_sample_of(static_cast<std::int64_t>(i) + 1);
    }
  }
  return 0;
}

void find_convergence(const Calibration& calibration, const ChosenRanges& ranges,
                      Diagnosis& diagnosis) {
  std::vector<std::int64_t> counts;
  const std::int64_t most = diagnosis.samples * 4 / 5;
  for (const auto& [name, chosen] : ranges) {
    const std::int64_t count = converged_after(*calibration.find(name), chosen.range);
    counts.push_back(std::min(count, diagnosis.samples));
    if (counts.back() > most) diagnosis.unconverged_values.push_back(name);
  }
  if (counts.empty()) return;
  std::sort(counts.begin(), counts.end());
  const auto place =
      static_cast<std::size_t>(std::ceil(converged_share * static_cast<double>(counts.size()))) - 1;
  if (counts[place] <= most) diagnosis.converged_after_samples = counts[place];
}

void find_outliers(const Calibration& calibration, const ChosenRanges& ranges,
                   Diagnosis& diagnosis) {
  std::map<std::int64_t, OutlierSample> found;
  for (const auto& [name, chosen] : ranges) {
    const ValueRecord& record = *calibration.find(name);
    const auto others = record.tensors() - static_cast<std::int64_t>(record.extremes().size());
    constexpr std::int64_t fewest_others = 8;
    if (others < fewest_others) continue;
    ExactSum sum = record.magnitude_sum();
    ExactSum squares = record.magnitude_square_sum();
    for (const SampleExtreme& extreme : record.extremes()) {
      const auto magnitude = static_cast<double>(extreme.magnitude);
      sum.add(-magnitude);
      squares.add(-magnitude * magnitude);
    }
    const double mean = sum.value() / static_cast<double>(others);
    const double deviation =
        std::sqrt(std::max(squares.value() / static_cast<double>(others) - mean * mean, 0.0));
    const auto ordinary = static_cast<double>(record.extremes().back().magnitude);
    for (const SampleExtreme& extreme : record.extremes()) {
      const auto magnitude = static_cast<double>(extreme.magnitude);
      const bool is_far = magnitude > mean + 6 * deviation && magnitude >= 2 * ordinary;
      if (!is_far || ordinary == 0) break;
      OutlierSample& outlier = found[extreme.sample];
      outlier.sample = extreme.sample;
      ++outlier.values;
      if (magnitude / ordinary > outlier.factor) {
        outlier.factor = magnitude / ordinary;
        outlier.worst_value = name;
      }
    }
  }
  for (const auto& [sample, outlier] : found) diagnosis.outliers.push_back(outlier);
  std::stable_sort(diagnosis.outliers.begin(), diagnosis.outliers.end(),
                   [](const OutlierSample& a, const OutlierSample& b) {
                     return a.values != b.values ? a.values > b.values : a.factor > b.factor;
                   });
  constexpr std::size_t most_told = 10;
  if (diagnosis.outliers.size() > most_told) diagnosis.outliers.resize(most_told);
}

void find_clipping(const Calibration& calibration, const ChosenRanges& ranges,
                   Diagnosis& diagnosis) {
  double clipped = 0;
  double total = 0;
  for (const auto& [name, chosen] : ranges) {
    const auto count = static_cast<double>(calibration.find(name)->finite_count());
    clipped += chosen.clipped_ratio * count;
    total += count;
    if (chosen.clipped_ratio <= diagnosis.max_clipped_ratio) continue;
    diagnosis.max_clipped_ratio = chosen.clipped_ratio;
    diagnosis.max_clipped_value = name;
  }
  diagnosis.clipped_ratio = total == 0 ? 0 : clipped / total;
}

void find_channels(const Calibration& calibration, const ChosenRanges& ranges,
                   Diagnosis& diagnosis) {
  for (const auto& [name, chosen] : ranges) {
    const ValueRecord& record = *calibration.find(name);
    if (record.nan_count() + record.infinity_count() > 0) diagnosis.not_finite.push_back(name);
    ConstantChannels constant{name, {}, static_cast<std::int64_t>(record.channels().size())};
    for (std::size_t i = 0; i < record.channels().size(); ++i) {
      const ChannelRecord& channel = record.channels()[i];
      // A single element is trivially constant.
      if (channel.count > 1 && channel.is_constant()) {
        constant.channels.push_back(static_cast<std::int64_t>(i));
      }
    }
    if (!constant.channels.empty()) diagnosis.constant_channels.push_back(std::move(constant));
  }
}

}  // namespace

Diagnosis diagnose(const Calibration& calibration, const ChosenRanges& ranges,
                   const InputEvidence& evidence) {
  Diagnosis diagnosis;
  diagnosis.samples = calibration.samples().count();
  find_convergence(calibration, ranges, diagnosis);
  find_outliers(calibration, ranges, diagnosis);
  find_clipping(calibration, ranges, diagnosis);
  find_channels(calibration, ranges, diagnosis);
  diagnosis.input_range_mismatch = judge_inputs(calibration, evidence);
  return diagnosis;
}

}  // namespace ortool
