// Builds graphs while parsing: names become values, outer names become captures.
#include "libcore/text/parse_graph.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse_literal.hpp"

namespace ortool {
namespace {

constexpr int max_subgraph_depth = 32;

}  // namespace

GraphParser::GraphParser(Scanner& scanner)
    : scanner_(scanner), read_graph_([this](Graph& graph) { graph_into(graph); }) {}

void GraphParser::graph_into(Graph& graph) {
  if (graph.depth() > max_subgraph_depth)
    scanner_.fail(format("graphs are nested deeper than {}", max_subgraph_depth));
  graph.set_name(scanner_.name("a graph's name"));
  inputs_into(graph);
  scanner_.expect("=>");
  const std::vector<TypedName> outputs = typed_names();
  declarations(graph);
  braced_nodes(graph);
  add_outputs(graph, outputs);
}

void GraphParser::function_body_into(Graph& body) {
  for (TypedName& input : typed_names()) add_input(body, std::move(input));
  scanner_.expect("=>");
  const std::vector<TypedName> outputs = typed_names();
  declarations(body);
  braced_nodes(body);
  add_outputs(body, outputs);
}

void GraphParser::nodes_into(Graph& graph) {
  while (!scanner_.at_end() && scanner_.peek() != '}') node_into(graph);
}

GraphParser::TypedName GraphParser::typed_name() {
  TypedName result;
  if (next_is_type(scanner_)) result.type = parse_type(scanner_);
  result.name = scanner_.name("a value's name");
  if (result.name.empty()) scanner_.fail("a value's name is empty");
  return result;
}

std::vector<GraphParser::TypedName> GraphParser::typed_names() {
  std::vector<TypedName> result;
  scanner_.expect('(');
  if (scanner_.accept(')')) return result;
  do {
    result.push_back(typed_name());
  } while (scanner_.accept(','));
  scanner_.expect(')');
  return result;
}

Value& GraphParser::add_input(Graph& graph, TypedName input) {
  if (graph.find_value(input.name) != nullptr)
    scanner_.fail(format("{} is already an input", quoted_text(input.name)));
  return graph.add_input(input.name, std::move(input.type));
}

void GraphParser::inputs_into(Graph& graph) {
  scanner_.expect('(');
  if (scanner_.accept(')')) return;
  do {
    Value& value = add_input(graph, typed_name());
    if (scanner_.accept('=')) graph.set_constant(value, parse_elements(scanner_, value.type()));
  } while (scanner_.accept(','));
  scanner_.expect(')');
}

void GraphParser::declarations(Graph& graph) {
  if (!scanner_.accept('<') || scanner_.accept('>')) return;
  do {
    TypedName declared = typed_name();
    Value* value = graph.find_value(declared.name);
    const bool is_default = value != nullptr && value->is_graph_input() && !value->has_default();
    if (value != nullptr && !is_default)
      scanner_.fail(format("{} is declared twice", quoted_text(declared.name)));
    if (scanner_.accept('=')) {
      Tensor tensor = parse_elements(scanner_, declared.type);
      if (value == nullptr) value = &graph.add_value(declared.name);
      graph.set_constant(*value, std::move(tensor));
    } else {
      if (value != nullptr)
        scanner_.fail(format("{} is declared twice", quoted_text(declared.name)));
      graph.add_value(declared.name, std::move(declared.type));
    }
  } while (scanner_.accept(','));
  scanner_.expect('>');
}

void GraphParser::braced_nodes(Graph& graph) {
  scanner_.expect('{');
  nodes_into(graph);
  scanner_.expect('}');
}

void GraphParser::add_outputs(Graph& graph, const std::vector<TypedName>& outputs) {
  for (const TypedName& output : outputs) {
    Value& value = find(graph, output.name);
    if (value.type().kind == ValueType::Kind::unknown) value.set_type(output.type);
    graph.add_output(value);
  }
}

Value& GraphParser::find(Graph& graph, const std::string& name) {
  Value* value = find_or_null(graph, name);
  if (value == nullptr) {
    scanner_.fail(format("{} is not a known value; nodes come after the values they read",
                         quoted_text(name)));
  }
  return *value;
}

Value* GraphParser::find_or_null(Graph& graph, const std::string& name) {
  Value* value = graph.find_value(name);
  if (value != nullptr) {
    const bool is_there = value->is_graph_input() || value->is_constant() ||
                          value->captured() != nullptr ||
                          (value->producer() != nullptr && !is_open(*value->producer()));
    return is_there ? value : nullptr;
  }
  if (graph.owner() == nullptr) return nullptr;
  Value* outer = find_or_null(graph.owner()->graph(), name);
  return outer != nullptr ? &graph.capture(*outer) : nullptr;
}

bool GraphParser::is_open(const Node& node) const {
  for (const Node* open : open_nodes_) {
    if (open == &node) return true;
  }
  return false;
}

Value* GraphParser::make_output(Graph& graph, const std::string& name) {
  if (name.empty()) return nullptr;
  Value* value = graph.find_value(name);
  if (value == nullptr) return &graph.add_value(name);
  if (value->producer() != nullptr || value->is_graph_input() || value->is_constant() ||
      value->captured() != nullptr)
    scanner_.fail(format("{} already has a value", quoted_text(name)));
  return value;
}

void GraphParser::node_into(Graph& graph) {
  std::string label;
  if (scanner_.accept('[')) {
    label = scanner_.name("a node's name");
    scanner_.expect(']');
  }
  std::vector<Value*> outputs;
  if (scanner_.peek() != '=') {
    do {
      const std::string name = scanner_.next_is_name() ? scanner_.name("an output") : "";
      Value* output = make_output(graph, name);
      for (const Value* other : outputs) {
        if (output != nullptr && other == output)
          scanner_.fail(format("{} is produced twice", quoted_text(name)));
      }
      outputs.push_back(output);
    } while (scanner_.accept(','));
  }
  scanner_.expect('=');
  std::string op_type = scanner_.name("an operator");
  std::string domain;
  while (scanner_.accept('.')) {
    domain += (domain.empty() ? "" : ".") + op_type;
    op_type = scanner_.name("an operator");
  }
  Node& node = graph.add_node(op_type, domain, {}, outputs, label);
  open_nodes_.push_back(&node);
  if (scanner_.accept(':')) node.set_overload(scanner_.name("an overload"));
  const bool has_attributes = scanner_.peek() == '<';
  if (has_attributes) parse_attributes(scanner_, read_graph_, node);
  scanner_.expect('(');
  if (!scanner_.accept(')')) {
    do {
      const std::string name = scanner_.next_is_name() ? scanner_.name("an input") : "";
      graph.add_input_to(node, name.empty() ? nullptr : &find(graph, name));
    } while (scanner_.accept(','));
    scanner_.expect(')');
  }
  if (!has_attributes && scanner_.peek() == '<') parse_attributes(scanner_, read_graph_, node);
  open_nodes_.pop_back();
}

}  // namespace ortool
