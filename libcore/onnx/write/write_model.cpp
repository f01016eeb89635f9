// Writer for ModelProto and its functions.
#include "libcore/onnx/write/write_model.hpp"

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/packed_field.hpp"
#include "libcore/onnx/write/write_graph.hpp"
#include "libcore/onnx/write/write_node.hpp"

namespace ortool::onnx {
namespace {

void write_function(WriteContext& context, const Function& function) {
  WireWriter& writer = context.writer;
  const FieldPresence present = function.spelling;
  const Graph& body = *function.body;
  writer.begin_message(model_field::functions);
  writer.put_text(function_field::name, function.name, present);
  for (const Value* input : body.inputs()) {
    writer.put_bytes(function_field::input, context.name_of(*input));
  }
  for (const Value* output : body.outputs()) {
    writer.put_bytes(function_field::output, context.name_of(*output));
  }
  for (const std::string& name : function.attributes) {
    writer.put_bytes(function_field::attribute, name);
  }
  for (const Node& node : body.nodes()) write_node(context, function_field::node, node);
  writer.put_text(function_field::doc_string, function.doc_string, present);
  write_opsets(context, function_field::opset_import, body);
  const bool is_explicit = function.domain.empty() && present.has(FieldPresence::explicit_domain);
  writer.put_text(function_field::domain, is_explicit ? "ai.onnx" : function.domain, present);
  for (const Attribute& attribute : function.attribute_defaults) {
    write_attribute(context, function_field::attribute_proto, attribute);
  }
  write_declared_values(context, function_field::value_info, body);
  writer.put_text(function_field::overload, function.overload, present);
  writer.put_entries(function_field::metadata_props, function.metadata, function.residue);
  writer.put_unknown(function.residue);
  writer.end_message();
}

}  // namespace

void write_model(WriteContext& context, const Model& model) {
  WireWriter& writer = context.writer;
  const FieldPresence present = model.spelling;
  writer.put_number(model_field::ir_version, model.ir_version, present);
  writer.put_text(model_field::producer_name, model.producer_name, present);
  writer.put_text(model_field::producer_version, model.producer_version, present);
  writer.put_text(model_field::domain, model.domain, present);
  writer.put_number(model_field::model_version, model.model_version, present);
  writer.put_text(model_field::doc_string, model.doc_string, present);
  write_graph(context, model_field::graph, *model.graph);
  // A file without imports means version 1, which the loader added.
  const bool is_assumed = present.has(FieldPresence::came_from_file) &&
                          model.graph->declared_opsets.empty() &&
                          model.graph->opsets() == OpsetImports{{"", 1}};
  if (!is_assumed) write_opsets(context, model_field::opset_import, *model.graph);
  writer.put_entries(model_field::metadata_props, model.metadata, model.residue);
  for (const Function& function : model.functions) write_function(context, function);
  writer.put_unknown(without_packed_field(model.residue));
}

}  // namespace ortool::onnx
