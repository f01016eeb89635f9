// Instantiates a function body as a separate graph.
#include "libcore/infer/instantiate.hpp"

#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/infer/body_copier.hpp"

namespace ortool {

std::unique_ptr<Graph> instantiate(const Function& function, const Node& call) {
  auto graph = std::make_unique<Graph>(function.body->name());
  graph->set_opsets(function.body->opsets());
  BodyCopier(function, call).copy_graph(*function.body, *graph);
  return graph;
}

std::int64_t count_nodes(const Graph& graph) {
  std::int64_t count = 0;
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph& each = *open.back();
    open.pop_back();
    count += each.node_count();
    for (const Node& node : each.nodes()) {
      for (const Graph* subgraph : node.subgraphs()) open.push_back(subgraph);
    }
  }
  return count;
}

}  // namespace ortool
