// A walk with a list of its own in place of recursion.
#include "libcore/graph/traverse.hpp"

namespace ortool {
namespace {

void append_graphs(const Graph& graph, std::vector<const Graph*>& graphs) {
  std::size_t next = graphs.size();
  graphs.push_back(&graph);
  for (; next < graphs.size(); ++next) {
    for (const Node& node : graphs[next]->nodes()) {
      for (const Graph* inside : node.subgraphs()) graphs.push_back(inside);
    }
  }
}

}  // namespace

std::vector<const Graph*> graphs_in(const Graph& graph) {
  std::vector<const Graph*> graphs;
  append_graphs(graph, graphs);
  return graphs;
}

std::vector<const Graph*> graphs_in(const Model& model) {
  std::vector<const Graph*> graphs = graphs_in(*model.graph);
  for (const Function& function : model.functions) append_graphs(*function.body, graphs);
  return graphs;
}

}  // namespace ortool
