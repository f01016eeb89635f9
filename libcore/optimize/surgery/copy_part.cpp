// Subgraph extraction: copies values on first use, nodes in order, and captures.
#include "libcore/optimize/surgery/copy_part.hpp"

#include <unordered_map>
#include <variant>
#include <vector>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

/// Maps the values of a graph to their copies.
using Copies = std::unordered_map<const Value*, Value*>;

void copy_notes(const Value& from, Value& to) {
  to.spelling = from.spelling;
  if (!from.notes().is_empty()) to.mutable_notes() = from.notes();
}

Value& copy_value(const Value& value, Graph& to) {
  // A captured value may already have the name.
  Value& made =
      to.add_value(to.find_value(value.name()) == nullptr ? value.name() : "", value.type());
  if (!value.constant().is_empty()) to.set_constant(made, value.constant());
  made.is_external = value.is_external;
  copy_notes(value, made);
  return made;
}

class PartCopier {
 public:
  Value* copy_of(const Value* value, Graph& to) {
    if (value == nullptr) return nullptr;
    const auto [place, is_new] = copies_.try_emplace(value, nullptr);
    if (is_new) {
      place->second = value->captured() != nullptr ? &to.capture(*copies_.at(value->captured()))
                                                   : &copy_value(*value, to);
    }
    return place->second;
  }

  void copy_node(const Node& node, Graph& to) {
    std::vector<Value*> inputs;
    for (std::int64_t i = 0; i < node.input_count(); ++i)
      inputs.push_back(copy_of(node.input(i), to));
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i)
      outputs.push_back(copy_of(node.output(i), to));
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i)
      copy_of(node.implicit_input(i), to);
    const std::string_view name = node.has_name_of_its_own() ? node.name() : std::string_view();
    Node& made = to.add_node(node.op_type(), node.domain(), inputs, outputs, name);
    made.set_overload(node.overload());
    made.spelling = node.spelling;
    if (!node.notes().is_empty()) made.mutable_notes() = node.notes();
    for (const Attribute& attribute : node.attributes()) add_copy(attribute, made);
  }

 private:
  void add_copy(const Attribute& attribute, Node& to) {
    if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&attribute.value)) {
      copy_graph(**graph, to.make_subgraph(attribute.name));
    } else if (const auto* graphs = std::get_if<Attribute::Graphs>(&attribute.value)) {
      for (const auto& each : *graphs) copy_graph(*each, to.make_subgraph(attribute.name, true));
    } else {
      to.set_attribute(copy_attribute(attribute));
    }
  }

  void copy_graph(const Graph& from, Graph& to) {
    to.set_name(from.name());
    to.doc_string = from.doc_string;
    to.metadata = from.metadata;
    for (Value* capture : from.captures()) copy_of(capture, to);
    for (const Value* input : from.inputs()) to.mark_input(*copy_of(input, to));
    for (const Node& node : from.nodes()) copy_node(node, to);
    for (const Value* output : from.outputs()) to.add_output(*copy_of(output, to));
  }

  Copies copies_;
};

}  // namespace

std::unique_ptr<Model> copy_part(Model& model, const std::unordered_set<const Node*>& nodes,
                                 std::span<Value* const> inputs, std::span<Value* const> outputs) {
  const Graph& from = *model.graph;
  auto made = std::make_unique<Model>();
  made->ir_version = model.ir_version;
  made->producer_name = model.producer_name;
  made->producer_version = model.producer_version;
  made->domain = model.domain;
  made->model_version = model.model_version;
  made->doc_string = model.doc_string;
  made->metadata = model.metadata;
  made->file = model.file;
  made->directory = model.directory;
  made->has_external_data = model.has_external_data;
  made->graph = std::make_unique<Graph>(from.name());
  Graph& to = *made->graph;
  to.set_opsets(from.opsets());
  to.doc_string = from.doc_string;
  to.metadata = from.metadata;
  made->functions = std::move(model.functions);
  PartCopier copier;
  for (const Value* input : inputs) {
    Value& copy = *copier.copy_of(input, to);
    to.mark_input(copy);
  }
  for (const Node& node : from.nodes()) {
    if (nodes.contains(&node)) copier.copy_node(node, to);
  }
  for (const Value* output : outputs) to.add_output(*copier.copy_of(output, to));
  return made;
}

}  // namespace ortool
