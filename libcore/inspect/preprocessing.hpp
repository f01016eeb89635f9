// Preprocessing inside the model, and what it implies for the data to be fed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A node on the linear path from an input that only changes scale, type or axis order.
struct PreprocessingStep {
  const Node* node = nullptr;
  std::string meaning;  ///< "subtract", "divide", "multiply", "add", "normalize", "cast to …"
  std::vector<double> numbers;  ///< the constant's values, at most one for each channel
};

struct PreprocessingHint {
  std::string layout;  ///< "nchw", "nhwc" or empty
  std::string layout_reason;
  std::vector<PreprocessingStep> steps;
  /// Mean and standard deviation of each channel, if the steps amount to (x - mean) / std.
  std::vector<double> mean;
  std::vector<double> std;
  /// The range that a quantized input can represent.
  std::optional<std::pair<double, double>> range;
  std::string range_reason;
  std::string denotation;  ///< of the input's type, such as "IMAGE"
  Metadata metadata;       ///< metadata entries about images or normalization

  bool is_empty() const {
    return layout.empty() && steps.empty() && !range && denotation.empty() && metadata.empty();
  }
};

/// For an input of the main graph, from the graph and the model's metadata only: hints are facts in
/// the file, never guesses about data.
PreprocessingHint find_preprocessing(const Model& model, const Value& input);

}  // namespace ortool
