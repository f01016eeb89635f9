// Input-scale check: whether the calibration data match the scale of the training data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/input_evidence.hpp"

namespace ortool {

/// Accuracy counts of the float model on labeled samples.
struct LabelCount {
  std::int64_t samples = 0;
  std::int64_t right = 0;
  std::int64_t max_common = 0;  ///< samples with the most frequent label
};

/// What is known about a model's inputs apart from the data.
struct InputEvidence {
  ModelEvidence model_evidence;
  std::vector<ExpectedRange> pictures;  ///< of natural images that are known to be correct
  std::optional<LabelCount> labels;
};

/// The strongest indication that the data have the wrong scale, in words; nothing where there is
/// none. Checked are:
///
/// - Values outside a range that the model states, or differing from it by a factor of 50.
/// - Images that differ from known ones by a factor of 50; that are not normalized where those are,
///   or have 2.5 times their width.
/// - Outputs of a normalization whose deviation, in the median channel, is more than 2.5 times that
///   in training or less than 0.3 times (below 0.03 with fewer than 8 samples), or whose means are
///   off by 3 deviations.
/// - With at least 20 labeled samples: the float model is correct no more often than a constant
///   prediction of the most frequent label, within two standard deviations of chance.
/// - Data that move the first convolution's outputs by less than a twentieth of its bias, unless
///   labels show the contrary. Its weights do not reveal data that are too large, since biases of
///   networks trained on large values stay small.
std::optional<std::string> judge_inputs(const Calibration& calibration,
                                        const InputEvidence& evidence);

}  // namespace ortool
