// Operators and attribute values that ONNX Runtime accepts, and its tools write, at opsets older
// than the one that introduced them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

struct EarlyUse {
  std::string what;        ///< "operator LayerNormalization", "mode 'wrap'"
  std::int64_t since = 0;  ///< the opset that introduced it; 0 if none did
  std::int64_t opset = 0;  ///< the opset of the node's graph
  bool is_operator = false;

  /// "mode 'wrap' came with opset 19 (the model has 18)".
  std::string describe() const;
};

/// The early use in a node of ONNX's own domain, or nothing.
std::optional<EarlyUse> early_use(const Node& node);

/// The lowest opset at which nothing in the model counts as early; 0 when there is no early use
/// that any opset introduced.
std::int64_t opset_of_early_uses(const Model& model);

/// One warning for each kind of early use in the model; each names one node as an example.
std::vector<std::string> early_use_warnings(const Model& model);

}  // namespace ortool
