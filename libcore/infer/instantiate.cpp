// Copying graphs value by value and node by node, bodies inside them too.
#include "libcore/infer/instantiate.hpp"

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace ortool {
namespace {

class Copier {
 public:
  Copier(const Function& function, const Node& call) : function_(function), call_(call) {}

  void copy(const Graph& from, Graph& to) {
    for (const Value* value : from.values()) {
      if (value->captured() != nullptr) {
        copies_[value] = &to.capture(*copies_.at(value->captured()));
        continue;
      }
      Value& made = to.add_value(value->name(), value->type());
      if (!value->constant().is_empty()) to.set_constant(made, value->constant());
      copies_[value] = &made;
    }
    for (const Value* input : from.inputs()) to.mark_input(*copies_.at(input));
    for (const Node& node : from.nodes()) copy_node(node, to);
    for (const Value* output : from.outputs()) to.add_output(*copies_.at(output));
  }

 private:
  void copy_node(const Node& node, Graph& to) {
    std::vector<Value*> inputs;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Value* input = node.input(i);
      inputs.push_back(input == nullptr || is_left_out(*input) ? nullptr : copies_.at(input));
    }
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i)
      outputs.push_back(node.output(i) != nullptr ? copies_.at(node.output(i)) : nullptr);
    Node& made = to.add_node(node.op_type(), node.domain(), inputs, outputs, node.name());
    made.set_overload(node.overload());
    for (const Attribute& attribute : node.attributes()) copy_attribute(attribute, made);
  }

  void copy_attribute(const Attribute& attribute, Node& to) {
    const Attribute* source = attribute.reference.empty() ? &attribute : find(attribute.reference);
    if (source == nullptr) return;
    if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&source->value)) {
      copy(**graph, to.make_subgraph(attribute.name));
    } else if (const auto* graphs = std::get_if<Attribute::Graphs>(&source->value)) {
      for (const auto& each : *graphs) copy(*each, to.make_subgraph(attribute.name, true));
    } else {
      Attribute made;
      made.name = attribute.name;
      std::visit(
          [&](const auto& value) {
            // A list of graphs only claims that it can be copied.
            using Kind = std::decay_t<decltype(value)>;
            if constexpr (std::is_copy_constructible_v<Kind> &&
                          !std::is_same_v<Kind, Attribute::Graphs>)
              made.value = value;
          },
          source->value);
      to.set_attribute(std::move(made));
    }
  }

  /// Whether it is an input of the function, perhaps captured, that the call does not give.
  bool is_left_out(const Value& value) const {
    const Value* origin = &value;
    while (origin->captured() != nullptr) origin = origin->captured();
    if (&origin->graph() != function_.body.get() || !origin->is_graph_input()) return false;
    const auto inputs = function_.body->inputs();
    const auto position = std::find(inputs.begin(), inputs.end(), origin) - inputs.begin();
    return call_.input(position) == nullptr;
  }

  const Attribute* find(const std::string& name) const {
    if (const Attribute* given = call_.find_attribute(name)) return given;
    for (const Attribute& attribute : function_.attribute_defaults) {
      if (attribute.name == name) return &attribute;
    }
    return nullptr;
  }

  const Function& function_;
  const Node& call_;
  std::unordered_map<const Value*, Value*> copies_;
};

}  // namespace

std::unique_ptr<Graph> instantiate(const Function& function, const Node& call) {
  auto graph = std::make_unique<Graph>(function.body->name());
  graph->set_opsets(function.body->opsets());
  Copier(function, call).copy(*function.body, *graph);
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
