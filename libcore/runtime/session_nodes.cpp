// Importing the own domain into the main graph, which opsets belong to, and making nodes again.
#include "libcore/runtime/session_nodes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/graph/copy_model.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {

void import_own_domain(Graph& graph) {
  Graph* main = &graph;
  while (main->owner() != nullptr) main = &main->owner()->graph();
  OpsetImports imports = main->opsets();
  imports[own_domain] = own_opset;
  main->set_opsets(std::move(imports));
}

bool has_plain_attributes(const Node& node) {
  const auto is_plain = [](const Attribute& attribute) {
    switch (attribute.kind()) {
      case AttributeKind::float_number:
      case AttributeKind::integer:
      case AttributeKind::string:
      case AttributeKind::floats:
      case AttributeKind::integers:
        return attribute.reference.empty();
      default:
        return false;
    }
  };
  return std::all_of(node.attributes().begin(), node.attributes().end(), is_plain);
}

Node& remake_with_outputs(Node& node, std::span<Value* const> outputs) {
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  std::vector<Attribute> attributes = copy_attributes(node);
  const Notes notes = node.notes();
  Graph& graph = node.graph();
  Node* const next = node.next();
  graph.remove_node(node);
  Node& made = graph.add_node(node.op_type(), node.domain(), inputs, outputs, node.name(), next);
  for (Attribute& attribute : attributes) made.set_attribute(std::move(attribute));
  if (!notes.is_empty()) made.mutable_notes() = notes;
  return made;
}

bool is_reorder(const Node& node) {
  return node.op_type() == "Reorder" && node.domain() == own_domain;
}

}  // namespace ortool
