// Calibration diagnostics: too few samples, outliers, constant channels, mismatched input scale.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/judge_inputs.hpp"
#include "libcore/quantize/calibrate/methods.hpp"

namespace ortool {

/// The ranges chosen, by value.
using ChosenRanges = std::map<std::string, ChosenRange, std::less<>>;

/// A sample whose values reach far beyond those of nearly all others.
struct OutlierSample {
  std::int64_t sample = 0;
  std::int64_t values = 0;  ///< number of values affected
  std::string worst_value;  ///< the value with the largest deviation
  double factor = 0;        ///< maximum magnitude there / that of a typical large sample
};

/// Channels of a value whose elements were identical in every sample.
struct ConstantChannels {
  std::string value;
  std::vector<std::int64_t> channels;
  std::int64_t channel_count = 0;
};

struct Diagnosis {
  std::int64_t samples = 0;
  /// The number of samples after which 95 % of the values had reached 95 % of their final range;
  /// nothing when that took more than four fifths of all samples, so that more data would still
  /// change the scales.
  std::optional<std::int64_t> converged_after_samples;
  std::vector<std::string> unconverged_values;  ///< below 95 % of their range after four fifths
  std::vector<OutlierSample> outliers;          ///< those that affect most values first, at most 10
  double clipped_ratio = 0;                     ///< over all elements of all values
  std::string max_clipped_value;                ///< empty when nothing is clipped
  double max_clipped_ratio = 0;
  std::vector<ConstantChannels> constant_channels;
  std::vector<std::string> not_finite;              ///< values with NaN or infinite elements
  std::optional<std::string> input_range_mismatch;  ///< the finding of judge_inputs()
};

/// Checks the records of the values in `ranges`, all of which must be in `calibration`, and
/// compares the model's inputs with what is known about them.
Diagnosis diagnose(const Calibration& calibration, const ChosenRanges& ranges,
                   const InputEvidence& evidence = {});

}  // namespace ortool
