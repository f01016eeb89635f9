// Multiplications with additions that nodes and graphs take.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

/// Counts for one model whose shapes have been inferred; the model outlives it and does not change
/// meanwhile. A multiplication and the addition of its product are one; operators that are no sums
/// of products count 0.
class MacCounter {
 public:
  explicit MacCounter(const Model& model) : model_(model) {}

  /// A node whose cost cannot be told (an operator the catalog lacks) is the symbol "macs(NODE)".
  Cost count(const Node& node) const;
  /// The sum over the nodes.
  Cost count(const Graph& graph) const;

 private:
  const Model& model_;
};

/// Elements of the constants that the node reads.
std::int64_t count_parameters(const Node& node);

}  // namespace ortool
