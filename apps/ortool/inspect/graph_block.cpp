// Nodes, values and attributes as JSON.
#include "apps/ortool/inspect/graph_block.hpp"

#include <algorithm>

#include "apps/ortool/inspect/glob.hpp"
#include "libcore/base/format.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/inspect/weights.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Json partial_shape_block(const PartialShape& shape) {
  if (!shape) return Json();
  Json list = Json::list();
  for (const Dimension& dimension : *shape) {
    list.add(dimension.is_known()    ? Json(dimension.number())
             : dimension.is_formula() ? Json(dimension.to_string())
                                     : Json());
  }
  return list;
}

std::string type_name(const ValueType& type) {
  if (type.is_tensor()) return std::string(name_of(type.element));
  return type.to_string();
}

Json name_or_null(const Value* value) {
  return value != nullptr ? Json(value->name()) : Json("");
}

Json tensor_attribute(const Tensor& tensor, std::int64_t most_elements) {
  Json block = Json::object();
  block.set("dtype", name_of(tensor.type())).set("shape", Json::list_of(tensor.shape()));
  if (tensor.element_count() > most_elements) return block;
  Json data = Json::list();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_floating_point(tensor.type())) {
      data.add(element_as_double(tensor, i));
    } else if (is_integer(tensor.type()) && tensor.type() != DataType::uint64) {
      data.add(element_as_int64(tensor, i));
    } else {
      data.add(element_text(tensor, i));
    }
  }
  return block.set("data", std::move(data));
}

Json sparse_attribute(const SparseTensor& sparse) {
  return Json::object()
      .set("dtype", name_of(sparse.values.type()))
      .set("shape", Json::list_of(sparse.dimensions))
      .set("stored_elements", sparse.values.element_count());
}

template <typename List, typename Convert>
Json convert_list(const List& list, const Convert& convert) {
  Json result = Json::list();
  for (const auto& item : list) result.add(convert(item));
  return result;
}

/// Graphs stand in the node's `subgraphs`; here is their name.
Json attribute_block(const Attribute& attribute, const BlockOptions& options) {
  if (!attribute.reference.empty()) return Json::object().set("reference", attribute.reference);
  const auto tensor_of = [&](const Tensor& tensor) {
    return tensor_attribute(tensor, options.most_elements);
  };
  const auto graph_of = [](const std::unique_ptr<Graph>& graph) {
    return Json::object().set("graph", graph->name());
  };
  const auto number_of = [](float number) { return Json(static_cast<double>(number)); };
  const auto type_of = [](const ValueType& type) { return Json(type.to_string()); };
  const Attribute::Value& value = attribute.value;
  if (const auto* number = std::get_if<float>(&value)) return number_of(*number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return Json(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return Json(*text);
  if (const auto* tensor = std::get_if<Tensor>(&value)) return tensor_of(*tensor);
  if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&value)) return graph_of(*graph);
  if (const auto* list = std::get_if<std::vector<float>>(&value)) {
    return convert_list(*list, number_of);
  }
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    return Json::list_of(*list);
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return Json::list_of(*list);
  }
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
    return convert_list(*list, tensor_of);
  }
  if (const auto* list = std::get_if<Attribute::Graphs>(&value)) {
    return convert_list(*list, graph_of);
  }
  if (const auto* sparse = std::get_if<SparseTensor>(&value)) return sparse_attribute(*sparse);
  if (const auto* list = std::get_if<std::vector<SparseTensor>>(&value)) {
    return convert_list(*list, sparse_attribute);
  }
  if (const auto* type = std::get_if<ValueType>(&value)) return type_of(*type);
  if (const auto* list = std::get_if<std::vector<ValueType>>(&value)) {
    return convert_list(*list, type_of);
  }
  return Json();
}

Json metadata_block(const Metadata& metadata) {
  Json block = Json::object();
  for (const auto& [key, value] : metadata) {
    if (block.find(key) == nullptr) block.set(key, value);
  }
  return block;
}

Json node_block(const Node& node, std::int64_t index, const BlockOptions& options,
                const MacCounter& counter) {
  Json inputs = Json::list();
  for (std::int64_t i = 0; i < node.input_count(); ++i) inputs.add(name_or_null(node.input(i)));
  Json outputs = Json::list();
  Json shapes = Json::list();
  bool is_unknown = false;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* output = node.output(i);
    outputs.add(name_or_null(output));
    shapes.add(output != nullptr ? partial_shape_block(output->type().shape) : Json());
    is_unknown = is_unknown ||
                 (output != nullptr && output->type().is_tensor() && !output->type().shape) ||
                 (output != nullptr && output->type().kind == ValueType::Kind::unknown);
  }
  Json attributes = Json::object();
  for (const Attribute& attribute : node.attributes()) {
    attributes.set(attribute.name, attribute_block(attribute, options));
  }
  Json subgraphs = Json::list();
  for (const Graph* graph : node.subgraphs()) subgraphs.add(graph_block(*graph, options, counter));
  const std::optional<std::int64_t> macs = counter.count(node).value();
  Json block = Json::object();
  block.set("index", index)
      .set("name", node.name())
      .set("op_type", node.op_type())
      .set("domain", node.domain())
      .set("overload", node.overload)
      .set("inputs", std::move(inputs))
      .set("outputs", std::move(outputs))
      .set("attributes", std::move(attributes))
      .set("subgraphs", std::move(subgraphs))
      .set("metadata", metadata_block(node.metadata))
      .set("macs", macs ? Json(*macs) : Json())
      .set("parameters", count_parameters(node))
      .set("output_shapes", std::move(shapes));
  if (is_unknown) block.set("shape_unknown_because", why_shape_is_unknown(node));
  return block;
}

}  // namespace

std::string why_shape_is_unknown(const Node& node) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  if (entry == nullptr) return format("operator {} is not in the catalog", node.op_type());
  if (version_of(*entry, node) == nullptr) {
    return format("operator {} came later than the opset of the model", node.op_type());
  }
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input != nullptr && input->type().is_tensor() && !input->type().shape) {
      return format("the rank of input '{}' is not known", input->name());
    }
  }
  return "it depends on values that are known only when the model runs";
}

Json value_block(const Value& value) {
  return Json::object()
      .set("name", value.name())
      .set("dtype", type_name(value.type()))
      .set("shape", partial_shape_block(value.type().shape));
}

Json graph_block(const Graph& graph, const BlockOptions& options, const MacCounter& counter) {
  const auto is_chosen = [&](std::string_view name) { return matches_glob(name, options.select); };
  Json inputs = Json::list();
  for (const Value* input : graph.inputs()) inputs.add(value_block(*input));
  Json outputs = Json::list();
  for (const Value* output : graph.outputs()) outputs.add(value_block(*output));
  Json initializers = Json::list();
  Json values = Json::list();
  for (const Value* value : graph.values()) {
    if (!is_chosen(value->name())) continue;
    if (is_stored(*value)) {
      const Tensor& tensor = value->constant();
      initializers.add(Json::object()
                           .set("name", value->name())
                           .set("dtype", name_of(tensor.type()))
                           .set("shape", Json::list_of(tensor.shape()))
                           .set("bytes", tensor.size_bytes())
                           .set("external", value->is_external));
    } else if (value->captured() == nullptr) {
      values.add(value_block(*value).rendered());
    }
  }
  Json nodes = Json::list();
  std::int64_t index = 0;
  for (const Node& node : graph.nodes()) {
    if (is_chosen(node.name())) nodes.add(node_block(node, index, options, counter).rendered());
    ++index;
  }
  return Json::object()
      .set("name", graph.name())
      .set("inputs", std::move(inputs))
      .set("outputs", std::move(outputs))
      .set("initializers", std::move(initializers))
      .set("nodes", std::move(nodes))
      .set("values", std::move(values));
}

Json functions_block(const Model& model, const BlockOptions& options) {
  const MacCounter counter(model);
  Json list = Json::list();
  for (const Function& function : model.functions) {
    Json opsets = Json::object();
    for (const auto& [domain, version] : function.body->opsets()) {
      opsets.set(domain.empty() ? "ai.onnx" : domain, version);
    }
    list.add(Json::object()
                 .set("name", function.name)
                 .set("domain", function.domain)
                 .set("overload", function.overload)
                 .set("attributes", Json::list_of(function.attributes))
                 .set("opsets", std::move(opsets))
                 .set("graph", graph_block(*function.body, options, counter)));
  }
  return list;
}

}  // namespace ortool
