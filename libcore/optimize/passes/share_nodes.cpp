// Common subexpression elimination: merges nodes that compute the same from the same inputs.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"

namespace ortool {
namespace {

void append_pointer(std::string& text, const void* pointer) {
  text.append(reinterpret_cast<const char*>(&pointer), sizeof pointer);
}

/// A key that is equal for nodes that compute the same; nothing when that is not known.
std::optional<std::string> key_of(const Node& node) {
  if (may_change(node) || !node.subgraphs().empty()) return std::nullopt;
  std::string key(node.op_type());
  key.append(1, '\0').append(node.domain()).append(1, '\0');
  for (std::int64_t i = 0; i < node.input_count(); ++i) append_pointer(key, node.input(i));
  key.append(1, '\0');
  for (std::int64_t i = 0; i < node.output_count(); ++i)
    key.append(1, node.output(i) != nullptr ? '1' : '0');
  if (!append_attributes(node, key)) return std::nullopt;
  return key;
}

bool has_graph_output(const Node& node) {
  const std::vector<Value*> outputs = outputs_of(node);
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const Value* output) { return output->is_graph_output(); });
}

void share_nodes_in(Graph& graph, const RewriteOptions& options, PassNotes& notes) {
  std::unordered_map<std::string, Node*> known;
  for (Node& node : graph.nodes()) {
    options.poll();
    std::optional<std::string> key = key_of(node);
    if (!key) continue;
    const auto [place, is_new] = known.try_emplace(std::move(*key), &node);
    if (is_new) continue;
    if (has_graph_output(node)) {
      notes.left(node.name(), "its result is an output of the graph");
      continue;
    }
    const Node& first = *place->second;
    if (!notes.permits(node.name())) return;
    const std::vector<Value*> outputs = outputs_of(node);
    const std::vector<Value*> kept = outputs_of(first);
    for (std::size_t i = 0; i < outputs.size(); ++i) graph.replace_uses(*outputs[i], *kept[i]);
    graph.remove_node(node);
    for (Value* output : outputs) graph.remove_value(*output);
  }
}

}  // namespace

Pass share_nodes() {
  return {.name = "eliminate-common-subexpressions",
          .summary = "merges equal nodes with the same inputs (common-subexpression elimination)",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            PassNotes notes("eliminate-common-subexpressions", options, report);
            for (Graph* graph : graphs_in(*model.graph)) share_nodes_in(*graph, options, notes);
          }};
}

}  // namespace ortool
