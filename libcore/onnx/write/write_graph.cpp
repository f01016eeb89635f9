// Writer for GraphProto; each list keeps the order of the file.
#include "libcore/onnx/write/write_graph.hpp"

#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/write/write_node.hpp"
#include "libcore/onnx/write/write_tensor.hpp"
#include "libcore/onnx/write/write_type.hpp"

namespace ortool::onnx {
namespace {

/// Whether a stored declaration no longer holds because the value's type has changed.
bool contradicts(const ValueType& said, const ValueType& known) {
  if (said.kind == ValueType::Kind::unknown || known.kind == ValueType::Kind::unknown) return false;
  if (said.kind != known.kind || said.element != known.element) return true;
  if (!said.shape || !known.shape) return false;
  if (said.shape->size() != known.shape->size()) return true;
  for (std::size_t i = 0; i < said.shape->size(); ++i) {
    const Dimension& one = (*said.shape)[i];
    const Dimension& other = (*known.shape)[i];
    if (one.is_known() && other.is_known() && one.number() != other.number()) return true;
  }
  return false;
}

void write_declaration(WriteContext& context, std::uint32_t field, const Value* value,
                       const OwnDeclaration* own) {
  WireWriter& writer = context.writer;
  if (own != nullptr && value != nullptr && own->name != value->name()) own = nullptr;
  if (own == nullptr) {
    write_value_info(writer, field, context.name_of(*value), value->type(), value->spelling,
                     value->notes());
    return;
  }
  // A value_info does not describe an initializer or captured value of the same name.
  const bool is_judged = value != nullptr && value->captured() == nullptr && !value->is_constant();
  const bool is_out_of_date = is_judged && contradicts(own->type, value->type());
  write_value_info(writer, field, value != nullptr ? context.name_of(*value) : own->name,
                   is_out_of_date ? value->type() : own->type, own->spelling, own->notes);
}

void write_initializers(WriteContext& context, const Graph& graph) {
  std::vector<const Value*> sparse;
  for (const SparseInitializer& each : graph.sparse_initializers) {
    const bool is_same = each.value->is_in(graph) &&
                         each.value->constant().bytes() == each.dense_bytes &&
                         !each.value->constant().is_empty();
    if (!is_same) continue;
    write_sparse_tensor(context, graph_field::sparse_initializer, each.tensor,
                        context.name_of(*each.value));
    sparse.push_back(each.value);
  }
  std::vector<bool> is_written;
  const auto mark = [&](const Value& value) {
    const auto id = static_cast<std::size_t>(value.id());
    if (id >= is_written.size()) is_written.resize(2 * id + 1);
    const bool was_written = is_written[id];
    is_written[id] = true;
    return !was_written;
  };
  const auto write = [&](const Value& value) {
    if (value.constant().is_empty() || !mark(value)) return;
    write_tensor(context, graph_field::initializer, value.constant(), context.name_of(value),
                 value.is_graph_input() ? nullptr : &value.notes());
  };
  for (const Value* value : sparse) mark(*value);
  for (const Value* value : graph.initializer_order) {
    if (value->is_in(graph)) write(*value);
  }
  for (const Value* value : graph.values()) write(*value);
}

void write_annotation(WriteContext& context, const QuantizationAnnotation& annotation) {
  WireWriter& writer = context.writer;
  writer.begin_message(graph_field::quantization_annotation);
  writer.put_text(annotation_field::tensor_name, annotation.value, annotation.spelling);
  writer.put_entries(annotation_field::quant_parameter_tensor_names, annotation.parameters,
                     annotation.residue);
  writer.put_unknown(annotation.residue);
  writer.end_message();
}

void write_outputs(WriteContext& context, const Graph& graph) {
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const OwnDeclaration* own =
        i < graph.output_declarations.size() ? graph.output_declarations[i].get() : nullptr;
    write_declaration(context, graph_field::output, graph.outputs()[i], own);
  }
}

}  // namespace

void write_graph(WriteContext& context, std::uint32_t field, const Graph& graph) {
  WireWriter& writer = context.writer;
  const FieldPresence present = graph.spelling;
  context.resolve_names(graph);
  writer.begin_message(field);
  for (const Node& node : graph.nodes()) write_node(context, graph_field::node, node);
  writer.put_text(graph_field::name, graph.name(), present);
  write_initializers(context, graph);
  writer.put_text(graph_field::doc_string, graph.doc_string, present);
  for (const Value* input : graph.inputs()) {
    write_declaration(context, graph_field::input, input, nullptr);
  }
  write_outputs(context, graph);
  write_declared_values(context, graph_field::value_info, graph);
  for (const QuantizationAnnotation& annotation : graph.quantization_annotations) {
    write_annotation(context, annotation);
  }
  writer.put_entries(graph_field::metadata_props, graph.metadata, graph.residue);
  writer.put_unknown(graph.residue);
  writer.end_message();
}

void write_declared_values(WriteContext& context, std::uint32_t field, const Graph& graph) {
  for (const DeclaredValue& declared : graph.declared_values) {
    const bool is_gone = declared.value != nullptr && !declared.value->is_in(graph);
    if (is_gone) continue;
    write_declaration(context, field, declared.value, declared.own.get());
  }
}

void write_opsets(WriteContext& context, std::uint32_t field, const Graph& graph) {
  WireWriter& writer = context.writer;
  OpsetImports left = graph.opsets();
  const OpsetImports all = left;
  const auto write = [&](const std::string& domain, std::int64_t version, FieldPresence present,
                         const Residue* residue) {
    const bool is_explicit = domain.empty() && present.has(FieldPresence::explicit_domain);
    writer.begin_message(field);
    if (!present.has(FieldPresence::came_from_file)) present.set(opset_field::domain);
    writer.put_text(opset_field::domain, is_explicit ? "ai.onnx" : domain, present);
    writer.put_varint(opset_field::version, version);
    if (residue != nullptr) writer.put_unknown(*residue);
    writer.end_message();
  };
  for (const DeclaredOpset& declared : graph.declared_opsets) {
    const auto found = all.find(declared.domain);
    if (found == all.end()) continue;
    write(declared.domain, found->second, declared.spelling, &declared.residue);
    left.erase(declared.domain);
  }
  for (const auto& [domain, version] : left) write(domain, version, {}, nullptr);
}

}  // namespace ortool::onnx
