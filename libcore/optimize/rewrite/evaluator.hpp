// Who computes nodes that read nothing but constants, and how large the results may be.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Bounds that keep a small file from growing into a large model.
struct FoldLimits {
  /// A result may be as large as this, or as what it is made from.
  std::int64_t tensor_bytes = std::int64_t{16} << 20;
  /// What all results of one visit may take together beyond the constants that go away for them.
  std::int64_t total_bytes = std::int64_t{64} << 20;
  bool keeps_dequantized = false;  ///< DequantizeLinear stays a node
  bool keeps_outputs = false;      ///< what makes an output of a graph stays a node
  /// For files: in place of `total_bytes`, results that add much are made all or not at all, by
  /// what the model holds at the time (fold_growth.hpp).
  bool is_all_or_none = false;
};

/// The kernels of a provider, as the optimiser sees them.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The outputs of a node of the catalog without graphs whose inputs are all constants; empty
  /// tensors for ones left out. Nothing where they would take more than `most_bytes`, are no
  /// tensors of numbers, or no kernel computes them. Throws what is wrong with the node.
  virtual std::optional<std::vector<Tensor>> evaluate(const Node& node,
                                                      std::int64_t most_bytes) = 0;
};

}  // namespace ortool
