// Multiply-accumulate operations (MACs) of nodes and graphs.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

/// Counts for one model whose shapes have been inferred; the model must outlive this object
/// unmodified. A multiplication and the addition of its product count as one; operators that are
/// not sums of products count 0. A function call costs as much as the body with the shapes it
/// shows: where calls differ, these are symbols.
class MacCounter {
 public:
  explicit MacCounter(const Model& model);

  /// A node with unknown cost (an operator that is not in the catalog) is the symbol "macs(NODE)".
  Cost count(const Node& node) const;
  /// The sum over the nodes.
  Cost count(const Graph& graph) const;

 private:
  /// The cost of a call, by domain, name and overload; callees come before callers.
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Cost> calls_;
};

/// The number of elements in the constants that the node reads.
std::int64_t count_parameters(const Node& node);

}  // namespace ortool
