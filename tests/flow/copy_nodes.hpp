// Copies the nodes of one graph into another, including subgraphs.
#pragma once

#include <string>
#include <unordered_map>

#include "libcore/graph/graph.hpp"

namespace ortool::test {

/// Names that are unique across all graphs of a model.
class FreshNames {
 public:
  std::string value() { return "v" + std::to_string(values_++); }
  std::string node() { return "n" + std::to_string(nodes_++); }

 private:
  int values_ = 0;
  int nodes_ = 0;
};

/// Maps values of one graph to their counterparts in another.
using ValueMap = std::unordered_map<const Value*, Value*>;

/// Appends the nodes of `from` to `to`. `values` maps the inputs and constants of `from`; the
/// outputs of the copied nodes are added to it.
void copy_nodes(const Graph& from, Graph& to, ValueMap& values, FreshNames& names);

}  // namespace ortool::test
