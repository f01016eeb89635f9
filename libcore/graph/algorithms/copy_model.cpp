// Deep copy of a model: values, nodes and nested graphs.
#include "libcore/graph/algorithms/copy_model.hpp"

#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

/// For an attribute without graphs.
Attribute copy_plain(const Attribute& attribute) {
  Attribute made;
  made.name = attribute.name;
  made.reference = attribute.reference;
  made.reference_kind = attribute.reference_kind;
  copy_held(attribute, made);
  return made;
}

class GraphCopier {
 public:
  void copy(const Graph& from, Graph& to);

 private:
  void copy_node(const Node& node, Graph& to);
  void copy_attribute(const Attribute& attribute, Node& to);
  Value* copy_of(const Value* value) const {
    return value != nullptr ? copies_.at(value) : nullptr;
  }

  std::unordered_map<const Value*, Value*> copies_;
};

void GraphCopier::copy(const Graph& from, Graph& to) {
  to.set_name(from.name());
  to.doc_string = from.doc_string;
  to.metadata = from.metadata;
  to.quantization_annotations = from.quantization_annotations;
  // Captures last, since they can take any name.
  const std::vector<Value*> values = from.values();
  for (const Value* value : values) {
    if (value->captured() != nullptr) continue;
    Value& made = to.add_value(value->name(), value->type());
    if (!value->constant().is_empty()) to.set_constant(made, value->constant());
    made.is_external = value->is_external;
    if (!value->notes().is_empty()) made.mutable_notes() = value->notes();
    copies_[value] = &made;
  }
  for (const Value* value : values) {
    if (value->captured() != nullptr) copies_[value] = &to.capture(*copies_.at(value->captured()));
  }
  for (const Value* input : from.inputs()) to.mark_input(*copies_.at(input));
  for (const Node& node : from.nodes()) copy_node(node, to);
  for (const Value* output : from.outputs()) to.add_output(*copies_.at(output));
}

void GraphCopier::copy_node(const Node& node, Graph& to) {
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(copy_of(node.input(i)));
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(copy_of(node.output(i)));
  // An unnamed node gets its generated name, since its index may differ in the copy.
  Node& made = to.add_node(node.op_type(), node.domain(), inputs, outputs, node.name());
  made.set_overload(node.overload());
  if (!node.notes().is_empty()) made.mutable_notes() = node.notes();
  for (const Attribute& attribute : node.attributes()) copy_attribute(attribute, made);
}

void GraphCopier::copy_attribute(const Attribute& attribute, Node& to) {
  if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&attribute.value))
    return copy(**graph, to.make_subgraph(attribute.name));
  if (const auto* graphs = std::get_if<Attribute::Graphs>(&attribute.value)) {
    for (const auto& each : *graphs) copy(*each, to.make_subgraph(attribute.name, true));
    return;
  }
  to.set_attribute(copy_plain(attribute));
}

}  // namespace

void copy_held(const Attribute& from, Attribute& to) {
  std::visit(
      [&](const auto& value) {
        // A list of graphs is copyable only by its type traits.
        using Kind = std::decay_t<decltype(value)>;
        if constexpr (std::is_copy_constructible_v<Kind> &&
                      !std::is_same_v<Kind, Attribute::Graphs>)
          to.value = value;
      },
      from.value);
}

Attribute copy_attribute(const Attribute& attribute) {
  Attribute made = copy_plain(attribute);
  made.spelling = attribute.spelling;
  if (attribute.notes != nullptr) made.notes = std::make_unique<Notes>(*attribute.notes);
  return made;
}

std::vector<Attribute> copy_attributes(const Node& node) {
  std::vector<Attribute> copies;
  for (const Attribute& attribute : node.attributes()) {
    const AttributeKind kind = attribute.kind();
    if (kind == AttributeKind::graph || kind == AttributeKind::graphs) continue;
    copies.push_back(copy_plain(attribute));
  }
  return copies;
}

std::unique_ptr<Model> copy_model(const Model& model) {
  auto copy = std::make_unique<Model>();
  copy->ir_version = model.ir_version;
  copy->producer_name = model.producer_name;
  copy->producer_version = model.producer_version;
  copy->domain = model.domain;
  copy->model_version = model.model_version;
  copy->doc_string = model.doc_string;
  copy->metadata = model.metadata;
  copy->external_files = model.external_files;
  copy->file = model.file;
  copy->directory = model.directory;
  copy->has_external_data = model.has_external_data;
  copy->graph = std::make_unique<Graph>(model.graph->name());
  copy->graph->set_opsets(model.graph->opsets());
  GraphCopier().copy(*model.graph, *copy->graph);
  return copy;
}

}  // namespace ortool
