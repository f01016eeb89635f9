// Reader for GraphProto: declares all names first, so that nodes can refer to them in any order.
#include "libcore/onnx/read/read_graph.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/sort_nodes.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/invalid.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/read_node.hpp"
#include "libcore/onnx/read/read_tensor.hpp"
#include "libcore/onnx/read/read_type.hpp"

namespace ortool::onnx {
namespace {

/// The fields of a graph, not parsed yet.
struct GraphParts {
  std::vector<Message> nodes;
  std::vector<Message> initializers;
  std::vector<Message> sparse_initializers;
  std::vector<Message> inputs;
  std::vector<Message> outputs;
  std::vector<Message> value_infos;
};

QuantizationAnnotation read_annotation(LoadContext& context, Message message) {
  context.budget.take_bytes(sizeof(QuantizationAnnotation), "annotations");
  QuantizationAnnotation annotation;
  WireReader reader(context.source, message, annotation_table);
  reader.keep_unknown(annotation.residue);
  while (reader.next()) {
    if (reader.number() == annotation_field::tensor_name) {
      annotation.value = reader.text();
    } else {
      annotation.parameters.push_back(read_entry(context, reader.message(), annotation.residue));
    }
  }
  annotation.spelling = reader.present_fields();
  return annotation;
}

GraphParts walk(LoadContext& context, Message message, Graph& graph) {
  GraphParts parts;
  WireReader reader(context.source, message, graph_table);
  reader.keep_unknown(graph.residue);
  while (reader.next()) {
    switch (reader.number()) {
      case graph_field::node:
        parts.nodes.push_back(reader.message());
        break;
      case graph_field::name:
        graph.set_name(std::string(reader.text()));
        break;
      case graph_field::initializer:
        parts.initializers.push_back(reader.message());
        context.drop_large(parts.initializers.back().bytes);
        break;
      case graph_field::sparse_initializer:
        parts.sparse_initializers.push_back(reader.message());
        break;
      case graph_field::doc_string:
        graph.doc_string = reader.text();
        break;
      case graph_field::input:
        parts.inputs.push_back(reader.message());
        break;
      case graph_field::output:
        parts.outputs.push_back(reader.message());
        break;
      case graph_field::value_info:
        parts.value_infos.push_back(reader.message());
        break;
      case graph_field::quantization_annotation:
        graph.quantization_annotations.push_back(read_annotation(context, reader.message()));
        break;
      default:
        graph.metadata.push_back(read_entry(context, reader.message(), graph.residue));
        break;
    }
  }
  graph.spelling = reader.present_fields();
  return parts;
}

/// Sets type, presence bits and notes of the value as given by the file.
void apply_value_info(LoadContext& context, Value& value, ValueInfo info) {
  value.set_type(std::move(info.type));
  value.spelling = info.spelling;
  if (auto notes = to_pointer(context, std::move(info.notes))) {
    value.mutable_notes() = std::move(*notes);
  }
}

void read_inputs(LoadContext& context, std::span<const Message> messages, Graph& graph) {
  for (const Message message : messages) {
    ValueInfo info = read_value_info(context, message);
    Value& value = declare_value(context, graph, info.name, "graph input");
    graph.mark_input(value);
    apply_value_info(context, value, std::move(info));
  }
}

/// Declares an initializer, or finds the graph input whose default it is.
Value& declare_constant(LoadContext& context, Graph& graph, std::string_view name,
                        const Tensor& tensor) {
  Value* input = graph.find_value(name);
  if (input == nullptr || !input->is_graph_input() || input->has_default()) {
    return declare_value(context, graph, name, "initializer");
  }
  const ValueType& type = input->type();
  if (type.is_tensor() && type.element != DataType::undefined && type.element != tensor.type()) {
    throw invalid(format("graph input {} is {} but its default value is {}", quote(name),
                         name_of(type.element), name_of(tensor.type())),
                  "export the model again", "graph.default");
  }
  return *input;
}

void read_initializers(LoadContext& context, const GraphParts& parts, Graph& graph) {
  for (const Message message : parts.initializers) {
    NamedTensor read = read_tensor(context, message);
    Value& value = declare_constant(context, graph, read.name, read.tensor);
    graph.set_constant(value, std::move(read.tensor));
    value.is_external = read.is_external;
    graph.initializer_order.push_back(&value);
    if (value.is_graph_input() || (read.doc_string.empty() && read.metadata.empty())) continue;
    Notes& notes = value.mutable_notes();
    notes.doc_string = read.doc_string;
    notes.metadata = std::move(read.metadata);
  }
  for (const Message message : parts.sparse_initializers) {
    std::string_view name;
    SparseTensor sparse = read_sparse_tensor(context, message, &name);
    Tensor tensor = to_dense(context, sparse);
    Value& value = declare_constant(context, graph, name, tensor);
    const std::byte* const dense_bytes = tensor.bytes();
    graph.set_constant(value, std::move(tensor));
    context.budget.take_bytes(sizeof(SparseInitializer), "sparse tensors");
    graph.sparse_initializers.push_back({&value, std::move(sparse), dense_bytes});
  }
}

/// Whether a declaration of `value` in the file adds nothing to what the value already has.
bool says_the_same(const Value& value, const ValueInfo& info) {
  const ValueType& type = value.type();
  const auto has_same_bytes = [&] {
    if (type.extras == nullptr || info.type.extras == nullptr)
      return type.extras == info.type.extras;
    const auto known = type.extras->bytes;
    const auto said = info.type.extras->bytes;
    return std::equal(known.begin(), known.end(), said.begin(), said.end());
  };
  return info.notes.residue.is_empty() && value.notes().residue.is_empty() && type == info.type &&
         value.spelling == info.spelling && has_same_bytes() &&
         value.doc_string() == info.notes.doc_string && value.metadata() == info.notes.metadata;
}

/// Applies a declaration to `value`: the first one of a node's output sets its type and notes; a
/// later one that differs is returned, to be kept with its entry. No sizes are derived from it.
std::unique_ptr<OwnDeclaration> declare(LoadContext& context, Value* value, ValueInfo info) {
  const bool is_plain = value != nullptr && !value->is_constant() && value->captured() == nullptr;
  if (is_plain && value->spelling == SourceFormat::not_from_file) {
    apply_value_info(context, *value, std::move(info));
    return nullptr;
  }
  if (is_plain && says_the_same(*value, info)) return nullptr;
  context.budget.take_bytes(sizeof(OwnDeclaration) + 32, "values");
  return std::make_unique<OwnDeclaration>(OwnDeclaration{
      std::string(info.name), std::move(info.type), info.spelling, std::move(info.notes)});
}

void declare_values(LoadContext& context, std::span<const Message> messages, Graph& graph) {
  context.budget.take_bytes(static_cast<std::int64_t>(messages.size() * sizeof(DeclaredValue)),
                            "values");
  graph.declared_values.reserve(messages.size());
  for (const Message message : messages) {
    ValueInfo info = read_value_info(context, message);
    Value* const value = graph.find_value(info.name);
    auto own = declare(context, value, std::move(info));
    graph.declared_values.push_back({value, std::move(own)});
  }
}

/// Called before the nodes are read, so that node outputs have types; captured values follow later.
void declare_outputs(LoadContext& context, std::span<const Message> messages, Graph& graph) {
  for (const Message message : messages) {
    ValueInfo info = read_value_info(context, message);
    auto own = declare(context, graph.find_value(info.name), std::move(info));
    graph.output_declarations.push_back(std::move(own));
  }
}

void add_outputs(LoadContext& context, std::span<const Message> messages, Graph& graph) {
  for (const Message message : messages) {
    context.budget.take_bytes(sizeof(Use) + 16, "graph outputs");
    const std::string_view name = read_value_name(context, message);
    graph.add_output(find_visible_value(graph, name, "a graph output"));
  }
}

Value* look_up(Graph& graph, std::string_view name) {
  if (Value* own = graph.find_value(name)) return own;
  if (graph.owner() == nullptr) return nullptr;
  Value* outer = look_up(graph.owner()->graph(), name);
  return outer == nullptr ? nullptr : &graph.capture(*outer);
}

std::string_view role_of(const Value& value) {
  if (value.is_graph_input()) return "a graph input";
  return value.is_constant() ? "an initializer" : "a node's output";
}

}  // namespace

Value& declare_value(LoadContext& context, Graph& graph, std::string_view name,
                     std::string_view what) {
  if (name.empty()) {
    throw invalid(format("{} has no name", what), "export the model again", "graph.name");
  }
  if (const Value* taken = graph.find_value(name)) {
    throw invalid(
        format("the name {} of {} is already used by {}", quote(name), what, role_of(*taken)),
        "names of values must be unique in a graph", "graph.name");
  }
  context.budget.take_bytes(static_cast<std::int64_t>(sizeof(Value) + 128 + name.size()), "values");
  return graph.add_value(name);
}

Value& find_visible_value(Graph& graph, std::string_view name, std::string_view what) {
  if (Value* value = look_up(graph, name)) return *value;
  NearestName nearest(name);
  const Graph* around = &graph;
  while (around != nullptr) {
    for (const Value* value : around->values()) nearest.offer(value->name());
    around = around->owner() == nullptr ? nullptr : &around->owner()->graph();
  }
  throw invalid(format("{} {} is neither a node's output nor a graph input or initializer", what,
                       quote(name)),
                nearest.best().empty() ? std::string("export the model again")
                                       : format("did the model mean {}?", quote(nearest.best())),
                "graph.undefined");
}

void read_nodes(LoadContext& context, std::span<const Message> nodes,
                std::span<const Message> value_infos, std::span<const Message> outputs,
                Graph& graph) {
  for (std::size_t i = 0; i < nodes.size(); ++i) declare_node_outputs(context, nodes[i], i, graph);
  declare_outputs(context, outputs, graph);
  declare_values(context, value_infos, graph);
  for (const Message message : nodes) read_node(context, message, graph);
}

void put_in_order(LoadContext& context, Graph& graph) {
  if (!sort_nodes(graph)) return;
  context.warn(format("graph {}: nodes are not in topological order; they were sorted",
                      quote(graph.name())));
}

void read_graph(LoadContext& context, Message message, Graph& graph) {
  const GraphParts parts = walk(context, message, graph);
  read_inputs(context, parts.inputs, graph);
  read_initializers(context, parts, graph);
  read_nodes(context, parts.nodes, parts.value_infos, parts.outputs, graph);
  add_outputs(context, parts.outputs, graph);
  put_in_order(context, graph);
}

}  // namespace ortool::onnx
