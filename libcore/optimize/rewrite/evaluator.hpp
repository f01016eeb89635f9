// Evaluator for constant folding, with limits on the size of results.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Limits that keep a small file from expanding into a large model.
struct FoldLimits {
  /// The maximum size of one result, unless its inputs are larger.
  std::int64_t tensor_bytes = std::int64_t{16} << 20;
  /// The maximum growth of one run, net of constants that become dead.
  std::int64_t total_bytes = std::int64_t{64} << 20;
  bool keeps_dequantized = false;  ///< DequantizeLinear is not folded
  bool keeps_outputs = false;      ///< producers of graph outputs are not folded
  /// For files: instead of `total_bytes`, either all large results are folded or none, depending on
  /// the size of the model's constants (fold_growth.hpp).
  bool is_all_or_none = false;
};

/// A provider's kernels as seen by the optimizer.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The outputs of a cataloged node without subgraphs whose inputs are all constants; empty
  /// tensors for omitted ones. Nothing when they would exceed `max_bytes`, are not numeric
  /// tensors, or no kernel supports the node. Throws when the node is invalid.
  virtual std::optional<std::vector<Tensor>> evaluate(const Node& node, std::int64_t max_bytes) = 0;
};

}  // namespace ortool
