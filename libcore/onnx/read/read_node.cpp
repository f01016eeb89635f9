// Reader for NodeProto: inputs by name, unique attributes, and subgraphs.
#include "libcore/onnx/read/read_node.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/invalid.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/read_attribute.hpp"
#include "libcore/onnx/read/read_graph.hpp"

namespace ortool::onnx {
namespace {

/// The fields of a node, not parsed yet.
struct NodeParts {
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<Message> attributes;
  FieldPresence present_fields;
  Notes notes;
};

NodeParts walk(LoadContext& context, Message message) {
  NodeParts parts;
  WireReader reader(context.source, message, node_table);
  reader.keep_unknown(parts.notes.residue);
  while (reader.next()) {
    switch (reader.number()) {
      case node_field::input:
        context.budget.take_bytes(64, "inputs");
        parts.inputs.push_back(reader.text());
        break;
      case node_field::output:
        context.budget.take_bytes(24, "outputs");
        parts.outputs.push_back(reader.text());
        break;
      case node_field::name:
        parts.name = reader.text();
        break;
      case node_field::op_type:
        parts.op_type = reader.text();
        break;
      case node_field::attribute:
        parts.attributes.push_back(reader.message());
        break;
      case node_field::doc_string:
        parts.notes.doc_string = reader.text();
        break;
      case node_field::domain:
        parts.domain = reader.text();
        break;
      case node_field::overload:
        parts.overload = reader.text();
        break;
      case node_field::metadata_props:
        parts.notes.metadata.push_back(read_entry(context, reader.message(), parts.notes.residue));
        break;
      default:
        // device_configurations: where to run is decided by ortool, not by the file.
        reader.keep_field();
        break;
    }
  }
  parts.present_fields = reader.present_fields();
  if (parts.domain == "ai.onnx") parts.present_fields.set(FieldPresence::explicit_domain);
  return parts;
}

void read_subgraph(LoadContext& context, Message message, Graph& graph) {
  if (graph.depth() > context.options.max_subgraph_depth) {
    throw invalid(format("graphs nest deeper than {}", context.options.max_subgraph_depth),
                  "no real model needs this; the file looks crafted", "limit.depth");
  }
  read_graph(context, message, graph);
}

void read_attributes(LoadContext& context, const NodeParts& parts, Node& node) {
  if (static_cast<std::int64_t>(parts.attributes.size()) > LoadBudget::max_attributes_a_node) {
    throw invalid(format("has {} attributes (at most {} are allowed)", parts.attributes.size(),
                         LoadBudget::max_attributes_a_node),
                  "no real model needs this; the file looks crafted", "limit.attributes");
  }
  for (const Message message : parts.attributes) {
    AttributeWithGraphs read = read_attribute(context, message);
    const std::string& name = read.attribute.name;
    if (node.find_attribute(name) != nullptr) {
      throw invalid(format("attribute {} is given twice", quote(name)), "export the model again",
                    "attribute.repeated");
    }
    if (read.kind == AttributeKind::graph) {
      read_subgraph(context, read.graphs.front(), node.make_subgraph(name));
    } else if (read.kind == AttributeKind::graphs) {
      read.attribute.value = Attribute::Graphs();
      node.set_attribute(Attribute{.name = name, .value = Attribute::Graphs()});
      for (const Message graph : read.graphs) {
        context.budget.take_bytes(sizeof(Graph) + 768, "graphs");
        read_subgraph(context, graph, node.make_subgraph(name, true));
      }
    } else {
      node.set_attribute(std::move(read.attribute));
      continue;
    }
    node.set_attribute_notes(name, read.attribute.spelling, std::move(read.attribute.notes));
  }
}

void add_node(LoadContext& context, NodeParts& parts, Graph& graph) {
  if (parts.op_type.empty()) {
    throw invalid("the node has no operator type", "export the model again", "node.no_operator");
  }
  context.budget.take_node();
  context.budget.take_bytes(sizeof(Node) + 192, "nodes");
  std::vector<Value*> inputs;
  inputs.reserve(parts.inputs.size());
  for (std::size_t i = 0; i < parts.inputs.size(); ++i) {
    inputs.push_back(parts.inputs[i].empty()
                         ? nullptr
                         : &find_visible_value(graph, parts.inputs[i], format("input {}", i)));
  }
  std::vector<Value*> outputs;
  outputs.reserve(parts.outputs.size());
  for (const std::string_view name : parts.outputs) {
    outputs.push_back(name.empty() ? nullptr : graph.find_value(name));
  }
  Node& node = graph.add_node(parts.op_type, parts.domain, inputs, outputs, parts.name);
  if (!parts.overload.empty()) node.set_overload(parts.overload);
  node.spelling = parts.present_fields;
  if (auto notes = to_pointer(context, std::move(parts.notes))) {
    node.mutable_notes() = std::move(*notes);
  }
  read_attributes(context, parts, node);
}

/// The name used in reports: the node's own, or its type and its index in the file.
std::string display_name(std::string_view name, std::string_view op_type, std::size_t index) {
  return name.empty() ? format("{}_{}", shorten(op_type), index) : shorten(name);
}

}  // namespace

void declare_node_outputs(LoadContext& context, Message message, std::size_t index, Graph& graph) {
  std::string_view name;
  std::string_view op_type;
  std::vector<std::string_view> outputs;
  WireReader reader(context.source, message, node_table);
  while (reader.next()) {
    if (reader.number() == node_field::output && !reader.text().empty()) {
      outputs.push_back(reader.text());
    } else if (reader.number() == node_field::name) {
      name = reader.text();
    } else if (reader.number() == node_field::op_type) {
      op_type = reader.text();
    }
  }
  try {
    for (const std::string_view output : outputs) declare_value(context, graph, output, "output");
  } catch (Error& error) {
    throw error.at_node(display_name(name, op_type, index), shorten(op_type));
  }
}

void read_node(LoadContext& context, Message message, Graph& graph) {
  NodeParts parts = walk(context, message);
  const std::string name =
      display_name(parts.name, parts.op_type, static_cast<std::size_t>(graph.node_count()));
  try {
    add_node(context, parts, graph);
  } catch (Error& error) {
    throw error.at_node(name, shorten(parts.op_type));
  }
}

}  // namespace ortool::onnx
