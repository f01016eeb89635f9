// Iterative traversal of nested graphs, without recursion.
#include "libcore/graph/algorithms/traverse.hpp"

#include <utility>

namespace ortool {
namespace {

/// `AnyGraph` is Graph or const Graph.
template <typename AnyGraph>
void append_graphs(AnyGraph& graph, std::vector<AnyGraph*>& graphs) {
  std::size_t next = graphs.size();
  graphs.push_back(&graph);
  for (; next < graphs.size(); ++next) {
    for (auto& node : graphs[next]->nodes()) {
      for (AnyGraph* inside : node.subgraphs()) graphs.push_back(inside);
    }
  }
}

}  // namespace

std::vector<const Graph*> graphs_in(const Graph& graph) {
  std::vector<const Graph*> graphs;
  append_graphs(graph, graphs);
  return graphs;
}

std::vector<Graph*> graphs_in(Graph& graph) {
  std::vector<Graph*> graphs;
  append_graphs(graph, graphs);
  return graphs;
}

std::vector<const Graph*> graphs_in(const Model& model) {
  std::vector<const Graph*> graphs = graphs_in(std::as_const(*model.graph));
  for (const Function& function : model.functions)
    append_graphs(std::as_const(*function.body), graphs);
  return graphs;
}

std::vector<const Node*> nodes_in(const Model& model) {
  std::vector<const Node*> nodes;
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) nodes.push_back(&node);
  }
  return nodes;
}

std::vector<const Value*> values_in(const Model& model) {
  std::vector<const Value*> values;
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : graph->values()) values.push_back(value);
  }
  return values;
}

Node* only_consumer(const Value& value) {
  if (value.uses().size() != 1 || value.uses().front().kind != Use::Kind::input) return nullptr;
  return value.uses().front().node;
}

}  // namespace ortool
