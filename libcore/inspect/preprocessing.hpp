// What a model does with an input first, and what that says about how to feed it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A node of the straight way from an input that only changes scale, type or order.
struct PreprocessingStep {
  const Node* node = nullptr;
  std::string meaning;  ///< "subtract", "divide", "multiply", "add", "normalize", "cast to …"
  std::vector<double> numbers;  ///< of its constant, as many as there are channels at most
};

struct PreprocessingHint {
  std::string layout;  ///< "nchw", "nhwc" or empty
  std::string layout_reason;
  std::vector<PreprocessingStep> steps;
  /// The mean and deviation a channel that the steps amount to, when they are (x - mean) / std.
  std::vector<double> mean;
  std::vector<double> std;
  /// The range that a quantised input can hold.
  std::optional<std::pair<double, double>> range;
  std::string range_reason;
  std::string denotation;  ///< of the input's type, "IMAGE"
  Metadata metadata;       ///< entries of the model that speak of pictures or normalisation

  bool is_empty() const {
    return layout.empty() && steps.empty() && !range && denotation.empty() && metadata.empty();
  }
};

/// For an input of the main graph, from the graph and the model's metadata alone: a hint is what
/// the file shows, never a guess about data.
PreprocessingHint find_preprocessing(const Model& model, const Value& input);

}  // namespace ortool
