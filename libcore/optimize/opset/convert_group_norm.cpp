// GroupNormalization conversion: upward, per-group operands are repeated; downward, the operator is
// decomposed. https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
#include "libcore/optimize/opset/convert_group_norm.hpp"

#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

/// Inserts nodes that share a name prefix, in order, before a node of the graph.
class NodesBefore {
 public:
  NodesBefore(Graph& graph, Node* place, std::string name)
      : graph_(graph), place_(place), name_(std::move(name)) {}

  Graph& graph() { return graph_; }

  Node& add_to(Value& result, const char* op_type, const std::vector<Value*>& inputs) {
    Value* const outputs[] = {&result};
    return graph_.add_node(op_type, "", inputs, outputs, name_, place_);
  }
  Value& add(const char* op_type, const std::vector<Value*>& inputs) {
    Value& result = graph_.add_value("");
    add_to(result, op_type, inputs);
    return result;
  }
  Value& integers(const Integers& values) {
    const Shape shape({static_cast<std::int64_t>(values.size())});
    return graph_.add_constant("", Tensor::of<std::int64_t>(shape, std::span(values)));
  }

 private:
  Graph& graph_;
  Node* place_;
  std::string name_;
};

/// The shape operand that repeats each group's element for its channels.
Value& group_sizes(NodesBefore& nodes, Value& x, std::int64_t groups) {
  const Dimensions* dimensions = dimensions_of(x);
  if (dimensions != nullptr && dimensions->size() > 1 && (*dimensions)[1].is_known())
    return nodes.integers({1, (*dimensions)[1].number() / groups});
  Value& channels = nodes.graph().add_value("");
  Node& shape = nodes.add_to(channels, "Shape", {&x});
  set_attribute(shape, "start", 1);
  set_attribute(shape, "end", 2);
  Value& size = nodes.add("Div", {&channels, &nodes.integers({groups})});
  Value& sizes = nodes.graph().add_value("");
  set_attribute(nodes.add_to(sizes, "Concat", {&nodes.integers({1}), &size}), "axis", 0);
  return sizes;
}

}  // namespace

Node& group_norm_up(Node& node) {
  const std::int64_t groups = integer_of(node, "num_groups", 1);
  NodesBefore nodes(node.graph(), &node, std::string(node.name()));
  Value& sizes = group_sizes(nodes, *node.input(0), groups);
  for (const std::int64_t index : {1, 2}) {
    Value& column = nodes.add("Reshape", {node.input(index), &nodes.integers({groups, 1})});
    Value& repeated = nodes.add("Expand", {&column, &sizes});
    Value& numbers = nodes.add("Reshape", {&repeated, &nodes.integers({-1})});
    node.graph().set_input(node, index, &numbers);
  }
  return node;
}

Node& group_norm_down(Node& node) {
  const auto op = read_op<GroupNormalization>(node);
  Graph& graph = node.graph();
  Value& x = *node.input(0);
  Value& scale = *node.input(1);
  Value& bias = *node.input(2);
  const std::int64_t rank = rank_of(x);
  const DataType type = element_of(x);
  if (rank < 2 || !is_floating_point(type))
    refuse_form(
        "the rank or type of its input is unknown, and it has to be decomposed in that opset");
  Value& y = *node.output(0);
  NodesBefore nodes(graph, node.next(), std::string(node.name()));
  graph.remove_node(node);

  const Shape vector({op.groups});
  Value& cut = nodes.add("Reshape", {&x, &nodes.integers({0, op.groups, -1})});
  Value& even = graph.add_value("");
  Attribute epsilon;
  epsilon.name = "epsilon";
  epsilon.value = op.epsilon;
  nodes
      .add_to(even, "InstanceNormalization",
              {&cut, &graph.add_constant("", filled(type, vector, 1)),
               &graph.add_constant("", filled(type, vector, 0))})
      .set_attribute(std::move(epsilon));
  Value& joined = nodes.add("Reshape", {&even, &nodes.add("Shape", {&x})});
  Integers column(static_cast<std::size_t>(rank) - 1, 1);
  column.front() = -1;
  const auto of_channels = [&](Value& numbers) -> Value& {
    return nodes.add("Reshape", {&numbers, &nodes.integers(column)});
  };
  Value& scaled = nodes.add("Mul", {&joined, &of_channels(scale)});
  return nodes.add_to(y, "Add", {&scaled, &of_channels(bias)});
}

}  // namespace ortool
