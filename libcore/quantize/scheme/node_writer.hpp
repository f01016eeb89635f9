// Node writer: inserts nodes and constants into a graph before a given node.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Inserts nodes before one node of a graph, in call order.
class NodeWriter {
 public:
  /// `before` may be null: the end of the graph.
  NodeWriter(Graph& graph, Node* before) : graph_(graph), before_(before) {}

  /// Adds a node of ONNX's domain with one output, which is returned.
  Value& add(std::string_view op_type, const std::vector<Value*>& inputs) const {
    return *add_node(op_type, inputs, 1).output(0);
  }
  /// Adds a node with `outputs` new outputs.
  Node& add_node(std::string_view op_type, const std::vector<Value*>& inputs,
                 std::size_t outputs) const {
    std::vector<Value*> made;
    for (std::size_t i = 0; i < outputs; ++i) made.push_back(&graph_.add_value(""));
    return graph_.add_node(op_type, "", inputs, made, {}, before_);
  }
  Value& constant(Tensor tensor) const { return graph_.add_constant("", std::move(tensor)); }
  /// Sets an attribute of the node that produces `value`.
  static void set(Value& value, std::string_view name, std::int64_t number) {
    Attribute attribute;
    attribute.name = name;
    attribute.value = number;
    value.producer()->set_attribute(std::move(attribute));
  }

 private:
  Graph& graph_;
  Node* before_;
};

}  // namespace ortool
