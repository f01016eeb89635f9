// Dead code elimination: removes nodes and constants without consumers.
#include <algorithm>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"

namespace ortool {
namespace {

/// In reverse order, so that one pass removes whole chains.
void remove_unread(Graph& graph, const RewriteOptions& options, PassNotes& notes) {
  std::vector<Node*> nodes;
  nodes.reserve(static_cast<std::size_t>(graph.node_count()));
  for (Node& node : graph.nodes()) nodes.push_back(&node);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    options.poll();
    const std::vector<Value*> outputs = outputs_of(**node);
    if (std::any_of(outputs.begin(), outputs.end(),
                    [](const Value* output) { return !output->uses().empty(); }))
      continue;
    if (!notes.permits((*node)->name())) return;
    graph.remove_node(**node);
    for (Value* output : outputs) graph.remove_value(*output);
  }
  for (Value* value : graph.values()) {
    if (!value->is_constant() || !value->uses().empty()) continue;
    if (!notes.permits(value->name())) return;
    graph.remove_value(*value);
  }
}

}  // namespace

Pass remove_unread_nodes() {
  return {.name = "remove-dead-nodes",
          .summary = "removes nodes and constants that nothing reads (dead code)",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            PassNotes notes("remove-dead-nodes", options, report);
            // Inner graphs first: what they read of outer ones is read no more.
            const std::vector<Graph*> graphs = graphs_in(*model.graph);
            for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph)
              remove_unread(**graph, options, notes);
          }};
}

}  // namespace ortool
