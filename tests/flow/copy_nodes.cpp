// Copies nodes under fresh value names, with attributes and subgraphs.
#include "tests/flow/copy_nodes.hpp"

#include <memory>
#include <variant>
#include <vector>

#include "libcore/graph/algorithms/copy_model.hpp"

namespace ortool::test {
namespace {

void copy_body(const Graph& from, Graph& to, ValueMap& values, FreshNames& names) {
  to.set_name(from.name());
  for (const Value* value : from.values()) {
    if (value->captured() != nullptr) {
      values[value] = &to.capture(*values.at(value->captured()));
    } else if (value->is_graph_input()) {
      values[value] = &to.add_input(names.value(), value->type());
    } else if (value->is_constant()) {
      values[value] = &to.add_constant(names.value(), value->constant());
    }
  }
  copy_nodes(from, to, values, names);
  for (const Value* output : from.outputs()) to.add_output(*values.at(output));
}

}  // namespace

void copy_nodes(const Graph& from, Graph& to, ValueMap& values, FreshNames& names) {
  for (const Node& node : from.nodes()) {
    std::vector<Value*> inputs;
    for (std::int64_t i = 0; i < node.input_count(); ++i)
      inputs.push_back(node.input(i) != nullptr ? values.at(node.input(i)) : nullptr);
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* output = node.output(i);
      outputs.push_back(output != nullptr ? &to.add_value(names.value()) : nullptr);
      if (output != nullptr) values[output] = outputs.back();
    }
    Node& made = to.add_node(node.op_type(), node.domain(), inputs, outputs, names.node());
    for (const Attribute& attribute : node.attributes()) {
      if (const auto* body = std::get_if<std::unique_ptr<Graph>>(&attribute.value)) {
        copy_body(**body, made.make_subgraph(attribute.name), values, names);
      } else {
        made.set_attribute(copy_attribute(attribute));
      }
    }
  }
}

}  // namespace ortool::test
