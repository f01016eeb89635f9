// What is remarkable about calibration data: too few, outliers, dead channels, a wrong scale.
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

/// A sample that reaches far beyond all others but a few.
struct OutlierSample {
  std::int64_t sample = 0;
  std::int64_t values = 0;  ///< in how many values
  std::string worst_value;  ///< where it is farthest out
  double factor = 0;        ///< there, its largest magnitude by that of an ordinary large sample
};

/// Channels of a value that had the same number in every element of every sample.
struct ConstantChannels {
  std::string value;
  std::vector<std::int64_t> channels;
  std::int64_t channel_count = 0;
};

struct Diagnosis {
  std::int64_t samples = 0;
  /// The samples after which 19 in 20 values had 95 % of the range they have in the end; nothing
  /// when that took more than four fifths of them all: more data would still move the scales.
  std::optional<std::int64_t> settled_after_samples;
  std::vector<std::string> unsettled_values;  ///< that had not 95 % of it after four fifths
  std::vector<OutlierSample> outliers;        ///< those that show in most values first, at most 10
  double clipped_ratio = 0;                   ///< of all elements of all values
  std::string most_clipped_value;             ///< empty when nothing is clipped
  double most_clipped_ratio = 0;
  std::vector<ConstantChannels> constant_channels;
  std::vector<std::string> not_finite;              ///< values with NaN or infinite elements
  std::optional<std::string> input_range_mismatch;  ///< what judge_inputs() says
};

/// Looks at the records of the values in `ranges`, which all are in `calibration`, and at the
/// model's inputs by what is known of them.
Diagnosis diagnose(const Calibration& calibration, const ChosenRanges& ranges,
                   const InputEvidence& evidence = {});

}  // namespace ortool
