// What a model's file shows of the inputs that it was trained on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"

namespace ortool {

/// Where the numbers of an input lie, by somebody's word.
struct ExpectedRange {
  std::string input;
  NumberRange range;
  std::string source;  ///< "the model's metadata say that it"
  /// Nothing lies outside; otherwise only the size of the numbers counts.
  bool is_strict = false;
};

/// A BatchNormalization that an input reaches through convolutions and what moves or bounds
/// elements: its results had these means and deviations in training, a number a channel.
struct NormStatistics {
  std::string input;
  std::string node;
  std::string output;
  std::vector<double> means;
  std::vector<double> deviations;
};

/// A convolution of an input with a constant bias, once normalisations are folded into it.
struct BiasedLayer {
  std::string input;
  std::string output;
  std::vector<double> bias;  ///< a number a channel
};

struct InputClues {
  std::vector<ExpectedRange> ranges;
  std::vector<NormStatistics> norms;
  std::vector<BiasedLayer> layers;
};

/// Reads what the model says before it is rewritten: ranges from metadata
/// (https://github.com/onnx/onnx/blob/main/docs/MetadataProps.md) and from (x - mean) / std at the
/// input itself, and normalisations. Types must have been inferred.
InputClues find_input_clues(const Model& model);

/// Adds what the rewritten model says, and leaves out values that it has no more.
void settle_input_clues(const Model& rewritten, InputClues& clues);

/// Adds the values that judge_inputs() needs to have seen.
void add_requests(const InputClues& clues, std::vector<ValueRequest>& requests);

}  // namespace ortool
