// JSON of a graph: nodes, values and functions.
#include "apps/ortool/inspect/graph_block.hpp"

#include <unordered_map>

#include "apps/ortool/inspect/attribute_block.hpp"
#include "apps/ortool/inspect/preprocessing_report.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/weights.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

Json partial_shape_block(const PartialShape& shape) {
  if (!shape) return Json();
  Json list = Json::list();
  for (const Dimension& dimension : *shape) {
    list.add(dimension.is_known()     ? Json(dimension.number())
             : dimension.is_formula() ? Json(dimension.to_string())
                                      : Json());
  }
  return list;
}

std::string type_name(const ValueType& type) {
  const bool has_element = type.is_tensor() && type.element != DataType::undefined;
  if (has_element) return std::string(name_of(type.element));
  if (type.is_tensor()) return "unknown";
  return type.to_string();
}

Json name_or_null(const Value* value) {
  return value != nullptr ? Json(value->name()) : Json("");
}

bool has_unknown_shape(const ValueType& type) {
  return type.kind == ValueType::Kind::unknown || (type.is_tensor() && !type.shape);
}

Json opsets_block(const Graph& graph) {
  Json opsets = Json::object();
  for (const auto& [domain, version] : graph.opsets()) {
    opsets.set(domain.empty() ? "ai.onnx" : domain, version);
  }
  return opsets;
}

Json initializer_block(const Value& value) {
  const Tensor& tensor = value.constant();
  return Json::object()
      .set("name", value.name())
      .set("dtype", name_of(tensor.type()))
      .set("shape", Json::list_of(tensor.shape()))
      .set("bytes", tensor.size_bytes())
      .set("external", value.is_external);
}

Json annotations_block(const Graph& graph) {
  const auto& annotations = graph.quantization_annotations;
  return Json::list_from(annotations.size(), [&annotations](std::size_t i) {
    return Json::object()
        .set("value", annotations[i].value)
        .set("parameters", metadata_block(annotations[i].parameters));
  });
}

Json values_list(std::span<Value* const> values) {
  return Json::list_from(values.size(),
                         [values](std::size_t i) { return value_block(*values[i]); });
}

}  // namespace

std::string why_shape_is_unknown(const Node& node) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  if (entry == nullptr) return format("operator {} is not in the catalog", node.op_type());
  if (version_of(*entry, node) == nullptr) {
    return format("operator {} is newer than the opset of the model", node.op_type());
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* output = node.output(i);
    if (output != nullptr && !output->type().unknown_because().empty())
      return output->type().unknown_because();
  }
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input != nullptr && input->type().is_tensor() && !input->type().shape) {
      return format("the rank of input '{}' is unknown", input->name());
    }
  }
  return "it depends on values that are only known at run time";
}

Json value_block(const Value& value) {
  return Json::object()
      .set("name", value.name())
      .set("dtype", type_name(value.type()))
      .set("shape", partial_shape_block(value.type().shape));
}

bool BlockBuilder::is_chosen(std::string_view name) const {
  return matches_glob(name, options_.select);
}

void BlockBuilder::make_initializers(const Graph& graph, Emit emit) const {
  std::unordered_map<const Value*, std::int64_t> stored_elements;
  for (const SparseInitializer& sparse : graph.sparse_initializers) {
    stored_elements.emplace(sparse.value, sparse.tensor.values.element_count());
  }
  for (const Value* value : graph.values()) {
    if (!is_stored(*value) || !is_chosen(value->name())) continue;
    Json block = initializer_block(*value);
    const auto stored = stored_elements.find(value);
    if (stored != stored_elements.end()) block.set("stored_elements", stored->second);
    emit(block);
  }
}

void BlockBuilder::make_values(const Graph& graph, Emit emit) const {
  for (const Value* value : graph.values()) {
    const bool is_listed = !is_stored(*value) && value->captured() == nullptr;
    if (is_listed && is_chosen(value->name())) emit(value_block(*value));
  }
}

void BlockBuilder::make_nodes(const Graph& graph, SubgraphBlock subgraph, Emit emit) const {
  std::int64_t index = 0;
  for (const Node& node : graph.nodes()) {
    if (is_chosen(node.name())) emit(this->node(node, index, subgraph));
    ++index;
  }
}

Json BlockBuilder::node(const Node& node, std::int64_t index, SubgraphBlock subgraph) const {
  const Node* held = &node;
  const auto output_of = [held](std::size_t i) {
    return held->output(static_cast<std::int64_t>(i));
  };
  const auto input_count = static_cast<std::size_t>(node.input_count());
  const auto output_count = static_cast<std::size_t>(node.output_count());
  bool is_unknown = false;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* output = node.output(i);
    is_unknown = is_unknown || (output != nullptr && (has_unknown_shape(output->type()) ||
                                                      !output->type().unknown_because().empty()));
  }
  Json attributes = Json::object();
  for (const Attribute& attribute : node.attributes()) {
    attributes.set(attribute.name, attribute_block(attribute, options_.max_elements));
  }
  Json subgraphs = Json::list();
  for (const Graph* inside : node.subgraphs()) subgraphs.add(subgraph(*inside));
  const Cost macs = counter_.count(node);
  const std::optional<std::int64_t> number = macs.value();
  Json block = Json::object();
  block.set("index", index)
      .set("name", node.name())
      .set("op_type", node.op_type())
      .set("domain", node.domain())
      .set("overload", node.overload())
      .set("inputs",
           Json::list_from(input_count,
                           [held](std::size_t i) {
                             return name_or_null(held->input(static_cast<std::int64_t>(i)));
                           }))
      .set("outputs",
           Json::list_from(output_count,
                           [output_of](std::size_t i) { return name_or_null(output_of(i)); }))
      .set("attributes", std::move(attributes))
      .set("subgraphs", std::move(subgraphs))
      .set("metadata", metadata_block(node.metadata()))
      .set("macs", number ? Json(*number) : Json());
  if (!number) block.set("macs_formula", macs.formula());
  block.set("parameters", count_parameters(node))
      .set("output_shapes", Json::list_from(output_count, [output_of](std::size_t i) {
             const Value* output = output_of(i);
             return output != nullptr ? partial_shape_block(output->type().shape) : Json();
           }));
  if (options_.providers != nullptr && &node.graph() == model_.graph.get()) {
    const auto provider = options_.providers->find(std::string(node.name()));
    if (provider != options_.providers->end()) block.set("provider", provider->second);
  }
  if (is_unknown) block.set("shape_unknown_because", why_shape_is_unknown(node));
  return block;
}

Json BlockBuilder::graph(const Graph& graph) const {
  const Graph* held = &graph;
  Json block = Json::object();
  block.set("name", graph.name())
      .set("inputs", values_list(graph.inputs()))
      .set("outputs", values_list(graph.outputs()))
      .set("initializers",
           Json::streamed_list([this, held](Emit emit) { make_initializers(*held, emit); }))
      .set("nodes", Json::streamed_list([this, held](Emit emit) {
             const auto subgraph = [this](const Graph& inside) { return this->graph(inside); };
             make_nodes(*held, subgraph, emit);
           }))
      .set("values", Json::streamed_list([this, held](Emit emit) { make_values(*held, emit); }));
  if (!graph.quantization_annotations.empty()) {
    block.set("quantization_annotations", annotations_block(graph));
  }
  if (!graph.metadata.empty()) block.set("metadata", metadata_block(graph.metadata));
  if (!graph.doc_string.empty()) block.set("doc_string", graph.doc_string);
  return block;
}

Json BlockBuilder::main_graph() const {
  Json block = graph(*model_.graph);
  const std::span<Value* const> values = model_.inputs();
  Json inputs = Json::list_from(values.size(), [this, values](std::size_t i) {
    Json input = value_block(*values[i]);
    const PreprocessingHint hint = find_preprocessing(model_, *values[i]);
    return hint.is_empty() ? input : input.set("preprocessing", preprocessing_block(hint));
  });
  for (auto& [key, value] : block.members()) {
    if (key == "inputs") value = std::move(inputs);
  }
  return block;
}

Json BlockBuilder::function_head(const Function& function) const {
  Json defaults = Json::object();
  for (const Attribute& attribute : function.attribute_defaults) {
    defaults.set(attribute.name, attribute_block(attribute, options_.max_elements));
  }
  return Json::object()
      .set("name", function.name)
      .set("domain", function.domain)
      .set("overload", function.overload)
      .set("attributes",
           Json::list_from(function.attributes.size(),
                           [&function](std::size_t i) { return Json(function.attributes[i]); }))
      .set("attribute_defaults", std::move(defaults))
      .set("opsets", opsets_block(*function.body))
      .set("metadata", metadata_block(function.metadata));
}

Json BlockBuilder::functions() const {
  return Json::streamed_list([this](Emit emit) {
    for (const Function& function : model_.functions) {
      emit(function_head(function).set("graph", graph(*function.body)));
    }
  });
}

}  // namespace ortool
