// Operators and attribute values that ONNX Runtime takes, and its tools write, at opsets before
// those that brought them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

struct EarlyUse {
  std::string what;        ///< "operator LayerNormalization", "mode 'wrap'"
  std::int64_t since = 0;  ///< the opset that brought it; 0: none did
  std::int64_t opset = 0;  ///< the one that the node is of
  bool is_operator = false;

  /// "mode 'wrap' came with opset 19 (the model has 18)".
  std::string describe() const;
};

/// What a node holds too early, or nothing. Of ONNX's own domain.
std::optional<EarlyUse> early_use(const Node& node);

/// The opset that a model needs at least to hold nothing early; 0 where it holds nothing early that
/// any opset brought.
std::int64_t opset_of_early_uses(const Model& model);

/// A warning for every kind of early use in the model, naming one node of it.
std::vector<std::string> early_use_warnings(const Model& model);

}  // namespace ortool
