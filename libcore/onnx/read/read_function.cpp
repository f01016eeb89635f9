// Reader for FunctionProto: a graph whose inputs and outputs have no types.
#include "libcore/onnx/read/read_function.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/read_attribute.hpp"
#include "libcore/onnx/read/read_graph.hpp"
#include "libcore/onnx/read/read_opsets.hpp"

namespace ortool::onnx {
namespace {

struct FunctionParts {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<Message> nodes;
  std::vector<Message> attributes;
  std::vector<Message> value_infos;
  std::vector<Message> opsets;
};

FunctionParts walk(LoadContext& context, Message message, Function& function) {
  FunctionParts parts;
  bool is_explicit = false;
  WireReader reader(context.source, message, function_table);
  reader.keep_unknown(function.residue);
  while (reader.next()) {
    switch (reader.number()) {
      case function_field::name:
        function.name = reader.text();
        break;
      case function_field::domain:
        function.domain = canonical_domain(reader.text());
        is_explicit = reader.text() != function.domain;
        break;
      case function_field::overload:
        function.overload = reader.text();
        break;
      case function_field::doc_string:
        function.doc_string = reader.text();
        break;
      case function_field::input:
        parts.inputs.push_back(reader.text());
        break;
      case function_field::output:
        parts.outputs.push_back(reader.text());
        break;
      case function_field::attribute:
        context.budget.take_bytes(sizeof(std::string), "attributes");
        function.attributes.emplace_back(reader.text());
        break;
      case function_field::attribute_proto:
        parts.attributes.push_back(reader.message());
        break;
      case function_field::node:
        parts.nodes.push_back(reader.message());
        break;
      case function_field::value_info:
        parts.value_infos.push_back(reader.message());
        break;
      case function_field::opset_import:
        parts.opsets.push_back(reader.message());
        break;
      default:
        function.metadata.push_back(read_entry(context, reader.message(), function.residue));
        break;
    }
  }
  FieldPresence present = reader.present_fields();
  if (is_explicit) present.set(FieldPresence::explicit_domain);
  function.spelling = present;
  return parts;
}

void read_body(LoadContext& context, const FunctionParts& parts, Function& function) {
  function.body = std::make_unique<Graph>(function.name);
  Graph& body = *function.body;
  body.declared_opsets = read_opsets(context, parts.opsets);
  body.set_opsets(to_imports(body.declared_opsets));
  for (const Message message : parts.attributes) {
    AttributeWithGraphs read = read_attribute(context, message);
    if (!read.graphs.empty()) {
      throw Error(
          ErrorCode::unsupported,
          format("attribute {} of a function has a graph as default", quote(read.attribute.name)),
          "give the graph where the function is called")
          .with_id("function.default");
    }
    function.attribute_defaults.push_back(std::move(read.attribute));
  }
  for (const std::string_view name : parts.inputs) {
    body.mark_input(declare_value(context, body, name, "function input"));
  }
  read_nodes(context, parts.nodes, parts.value_infos, {}, body);
  for (const std::string_view name : parts.outputs) {
    body.add_output(find_visible_value(body, name, "function output"));
  }
  put_in_order(context, body);
}

}  // namespace

Function read_function(LoadContext& context, Message message) {
  context.budget.take_bytes(sizeof(Function) + sizeof(Graph) + 512, "functions");
  Function function;
  const FunctionParts parts = walk(context, message, function);
  try {
    if (function.name.empty()) {
      throw Error(ErrorCode::invalid, "has no name", "export the model again")
          .with_id("function.name");
    }
    read_body(context, parts, function);
  } catch (Error& error) {
    throw error.in("function " + quote(function.name));
  }
  return function;
}

}  // namespace ortool::onnx
