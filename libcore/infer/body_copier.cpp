// Copies graphs by values and nodes, including nested bodies.
#include "libcore/infer/body_copier.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

void BodyCopier::copy_graph(const Graph& from, Graph& to) {
  to.set_name(from.name());
  // Captures last, since they can take any name.
  const std::vector<Value*> values = from.values();
  for (const Value* value : values) {
    if (value->captured() != nullptr) continue;
    Value& made = to.add_value(value->name(), value->type());
    if (!value->constant().is_empty()) to.set_constant(made, value->constant());
    copies_[value] = &made;
  }
  for (const Value* value : values) {
    if (value->captured() != nullptr) copies_[value] = &to.capture(*copies_.at(value->captured()));
  }
  for (const Value* input : from.inputs()) to.mark_input(*copies_.at(input));
  for (const Node& node : from.nodes()) copy_node(node, to, nullptr, {});
  for (const Value* output : from.outputs()) to.add_output(*copies_.at(output));
}

void BodyCopier::copy_nodes_before_call(Graph& to, Node& call) {
  const Graph& body = *function_->body;
  const std::string prefix = std::string(call.name()) + "/";
  for (const Value* value : body.values()) {
    const std::string name = prefix + std::string(value->name());
    Value& made = to.add_value(to.find_value(name) == nullptr ? name : "", value->type());
    if (!value->constant().is_empty()) to.set_constant(made, value->constant());
    copies_[value] = &made;
  }
  for (std::size_t i = 0; i < body.inputs().size(); ++i) {
    Value* given = call.input(static_cast<std::int64_t>(i));
    if (given == nullptr) continue;
    to.remove_value(*copies_.at(body.inputs()[i]));
    copies_[body.inputs()[i]] = given;
  }
  for (const Node& node : body.nodes()) copy_node(node, to, &call, prefix);
}

void BodyCopier::copy_nodes_before_holder(const Graph& body, Node& holder,
                                          std::span<Value* const> inputs,
                                          const std::string& prefix) {
  Graph& to = holder.graph();
  for (std::size_t i = 0; i < body.inputs().size(); ++i) copies_[body.inputs()[i]] = inputs[i];
  for (const Value* value : body.values()) {
    if (value->is_graph_input()) continue;
    if (value->captured() != nullptr) {
      copies_[value] = value->captured();
      continue;
    }
    const std::string name = prefix + std::string(value->name());
    Value& made = to.add_value(to.find_value(name) == nullptr ? name : "", value->type());
    if (!value->constant().is_empty()) to.set_constant(made, value->constant());
    copies_[value] = &made;
  }
  for (const Node& node : body.nodes()) copy_node(node, to, &holder, prefix);
}

void BodyCopier::copy_node(const Node& node, Graph& to, Node* before, const std::string& prefix) {
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    inputs.push_back(input == nullptr || is_left_out(*input) ? nullptr : copies_.at(input));
  }
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i)
    outputs.push_back(node.output(i) != nullptr ? copies_.at(node.output(i)) : nullptr);
  Node& made = to.add_node(node.op_type(), node.domain(), inputs, outputs,
                           prefix + std::string(node.name()), before);
  made.set_overload(node.overload());
  if (!node.notes().is_empty()) made.mutable_notes() = node.notes();
  for (const Attribute& attribute : node.attributes()) copy_attribute(attribute, made);
}

void BodyCopier::copy_attribute(const Attribute& attribute, Node& to) {
  const Attribute* source = attribute.reference.empty() ? &attribute : find(attribute.reference);
  if (source == nullptr) return;
  if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&source->value)) {
    copy_graph(**graph, to.make_subgraph(attribute.name));
  } else if (const auto* graphs = std::get_if<Attribute::Graphs>(&source->value)) {
    for (const auto& each : *graphs) copy_graph(*each, to.make_subgraph(attribute.name, true));
  } else {
    Attribute made;
    made.name = attribute.name;
    copy_held(*source, made);
    to.set_attribute(std::move(made));
  }
}

/// Whether it is a function input, perhaps captured, that the call omits.
bool BodyCopier::is_left_out(const Value& value) const {
  if (function_ == nullptr) return false;
  const Value* origin = &value;
  while (origin->captured() != nullptr) origin = origin->captured();
  if (&origin->graph() != function_->body.get() || !origin->is_graph_input()) return false;
  const auto inputs = function_->body->inputs();
  const auto position = std::find(inputs.begin(), inputs.end(), origin) - inputs.begin();
  return call_->input(position) == nullptr;
}

const Attribute* BodyCopier::find(const std::string& name) const {
  if (const Attribute* given = call_->find_attribute(name)) return given;
  for (const Attribute& attribute : function_->attribute_defaults) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

}  // namespace ortool
