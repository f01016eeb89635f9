// Whether calibration data are of the scale that the model was trained on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/input_evidence.hpp"

namespace ortool {

/// What the float model says of labelled samples.
struct LabelCount {
  std::int64_t samples = 0;
  std::int64_t right = 0;
  std::int64_t most_common = 0;  ///< samples of the label that most samples have
};

/// What is known of a model's inputs beside the data.
struct InputEvidence {
  InputClues clues;
  std::vector<ExpectedRange> pictures;  ///< of natural pictures that are known to be right
  std::optional<LabelCount> labels;
};

/// In words, the strongest sign that the data are of another scale; nothing where there is none.
///
/// - Numbers outside a range that the model states, or 50 times larger or smaller than one.
/// - Pictures 50 times larger or smaller than known ones; not normalised where those are, or of 2.5
///   times their width.
/// - Results of a normalisation that vary more than 2.5 times as much as in training (in the median
///   channel), or less than 0.3 times (from 8 samples on, 0.03 times below), or whose means are off
///   by 3 deviations.
/// - From 20 labelled samples on: the float model is right no more often than one that always gives
///   the most common label, two standard deviations of chance included.
/// - Data that move the results of the first convolution by less than a twentieth of its bias,
/// where
///   labels do not show the contrary. Its weights say nothing of data that are too large: biases of
///   networks that are trained on large numbers stay small.
std::optional<std::string> judge_inputs(const Calibration& calibration,
                                        const InputEvidence& evidence);

}  // namespace ortool
