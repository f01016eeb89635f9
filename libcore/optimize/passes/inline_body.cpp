// Subgraph inlining copies instead of moving, since a value belongs to one graph permanently.
#include "libcore/optimize/passes/inline_body.hpp"

#include "libcore/graph/graph.hpp"
#include "libcore/infer/body_copier.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

void give_origin(Node& node, const Node& from) {
  for (const auto& [key, value] : node.metadata()) {
    if (key == origin_key) return;
  }
  if (node.name() != from.name())
    node.mutable_notes().metadata.emplace_back(origin_key, from.name());
}

}  // namespace

std::vector<Value*> inline_body(const Graph& body, Node& holder, std::span<Value* const> inputs,
                                const std::string& prefix) {
  Graph& graph = holder.graph();
  Node* const before = holder.previous();
  BodyCopier copier;
  copier.copy_nodes_before_holder(body, holder, inputs, prefix);
  Node* made = before != nullptr ? before->next() : graph.first_node();
  for (const Node& node : body.nodes()) {
    give_origin(*made, node);
    made = made->next();
  }
  std::vector<Value*> results;
  for (const Value* output : body.outputs()) results.push_back(copier.copy_of(*output));
  return results;
}

void replace_node(Node& node, std::span<Value* const> results) {
  Graph& graph = node.graph();
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(node.output(i));
  Node* const behind = node.next();
  const std::string name(node.name());
  graph.remove_node(node);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == nullptr) continue;
    if (outputs[i]->is_graph_output()) {
      Value* const from[] = {results[i]};
      Value* const to[] = {outputs[i]};
      graph.add_node("Identity", "", from, to, name, behind);
      continue;
    }
    graph.replace_uses(*outputs[i], *results[i]);
    graph.remove_value(*outputs[i]);
  }
}

}  // namespace ortool
