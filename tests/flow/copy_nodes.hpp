// Copies the nodes of one graph into another, including subgraphs.
#pragma once

#include <string>
#include <unordered_map>

#include "libcore/graph/graph.hpp"

namespace ortool::test {

/// Names that no value and node of a model has yet, whichever of its graphs it is in.
class FreshNames {
 public:
  std::string value() { return "v" + std::to_string(values_++); }
  std::string node() { return "n" + std::to_string(nodes_++); }

 private:
  int values_ = 0;
  int nodes_ = 0;
};

/// Values of one graph, and what stands for them in another.
using ValueMap = std::unordered_map<const Value*, Value*>;

/// Appends the nodes of `from` to `to`. `values` has the inputs and constants of `from`, and gets
/// what the nodes make.
void copy_nodes(const Graph& from, Graph& to, ValueMap& values, FreshNames& names);

}  // namespace ortool::test
