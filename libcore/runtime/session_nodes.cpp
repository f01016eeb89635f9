// Importing the own domain into the main graph, which opsets belong to, and making nodes again.
#include "libcore/runtime/session_nodes.hpp"

#include <utility>
#include <vector>

#include "libcore/ops/own_domain.hpp"

namespace ortool {

void import_own_domain(Graph& graph) {
  Graph* main = &graph;
  while (main->owner() != nullptr) main = &main->owner()->graph();
  OpsetImports imports = main->opsets();
  imports[own_domain] = own_opset;
  main->set_opsets(std::move(imports));
}

bool copy_plain_value(const Attribute::Value& from, Attribute::Value& to) {
  if (const auto* number = std::get_if<float>(&from)) return to = *number, true;
  if (const auto* integer = std::get_if<std::int64_t>(&from)) return to = *integer, true;
  if (const auto* text = std::get_if<std::string>(&from)) return to = *text, true;
  if (const auto* numbers = std::get_if<std::vector<float>>(&from)) return to = *numbers, true;
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&from))
    return to = *integers, true;
  return false;
}

bool has_plain_attributes(const Node& node) {
  for (const Attribute& attribute : node.attributes()) {
    Attribute::Value copy;
    if (!attribute.reference.empty() || !copy_plain_value(attribute.value, copy)) return false;
  }
  return true;
}

Node& remake_with_outputs(Node& node, std::span<Value* const> outputs) {
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : node.attributes()) {
    Attribute& copy = attributes.emplace_back();
    copy.name = attribute.name;
    ORTOOL_CHECK(copy_plain_value(attribute.value, copy.value));
  }
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
