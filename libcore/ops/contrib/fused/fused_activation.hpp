// Activation at the end of ONNX Runtime's fused operators (FusedConv, FusedGemm …).
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// An ONNX operator of one input, with the attributes that the node states; `function` is empty
/// for none.
struct FusedActivation {
  std::string function;
  std::vector<std::pair<std::string, float>> attributes;

  /// Reads `activation` with its parameters in a list, `activation_params`. Throws
  /// ErrorCode::invalid for another function or a wrong number of parameters.
  static FusedActivation read_list(AttributeReader& attributes);
  /// Likewise, with parameters in `activation_alpha`, `activation_beta` and `activation_gamma`.
  static FusedActivation read_single(AttributeReader& attributes);
};

}  // namespace ortool
