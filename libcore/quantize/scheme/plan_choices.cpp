// Unique node names: counts nodes by name in graph order.
#include "libcore/quantize/scheme/plan_choices.hpp"

#include <unordered_set>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

std::unordered_map<const Node*, std::string> names_apart(const Model& model) {
  std::unordered_map<const Node*, std::string> names;
  std::unordered_set<std::string> taken;
  for (const Graph* graph : graphs_in(std::as_const(*model.graph))) {
    for (const Node& node : graph->nodes()) {
      std::string name(node.name());
      for (int count = 2; !taken.insert(name).second; ++count)
        name = std::string(node.name()) + "#" + std::to_string(count);
      names.emplace(&node, std::move(name));
    }
  }
  return names;
}

}  // namespace ortool
