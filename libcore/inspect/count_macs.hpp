// Multiplications with additions that nodes and graphs take.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

/// Counts for one model whose shapes have been inferred; the model outlives it and does not change
/// meanwhile. A multiplication and the addition of its product are one; operators that are no sums
/// of products count 0. A call of a function costs what its body does, with the shapes that the
/// body shows: where calls differ, these are symbols.
class MacCounter {
 public:
  explicit MacCounter(const Model& model);

  /// A node whose cost cannot be told (an operator the catalog lacks) is the symbol "macs(NODE)".
  Cost count(const Node& node) const;
  /// The sum over the nodes.
  Cost count(const Graph& graph) const;

 private:
  /// By domain, name and overload, what a call costs; functions stand behind those they call.
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Cost> calls_;
};

/// Elements of the constants that the node reads.
std::int64_t count_parameters(const Node& node);

}  // namespace ortool
