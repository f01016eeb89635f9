// Softmax conversion: axes of one element do not matter, on whichever side of the axis.
#include "libcore/optimize/opset/convert_softmax.hpp"

#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

bool has_one_element(const Dimensions& dimensions, std::int64_t axis) {
  const Dimension& dimension = dimensions[static_cast<std::size_t>(axis)];
  return dimension.is_known() && dimension.number() == 1;
}

/// The only axis from `first` on that may have more than one element; the last one when none may.
std::optional<std::int64_t> only_axis_from(const Node& node, std::int64_t first) {
  const Dimensions* dimensions = node.input(0) != nullptr ? dimensions_of(*node.input(0)) : nullptr;
  if (dimensions == nullptr || dimensions->empty()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(dimensions->size());
  std::optional<std::int64_t> found;
  for (std::int64_t axis = first < 0 ? first + rank : first; axis < rank; ++axis) {
    if (has_one_element(*dimensions, axis)) continue;
    if (found) return std::nullopt;
    found = axis;
  }
  return found.value_or(rank - 1);
}

/// Whether all later axes are known to have one element.
bool has_nothing_behind(const Node& node, std::int64_t axis) {
  const Dimensions* dimensions = dimensions_of(*node.input(0));
  for (std::int64_t i = axis + 1; i < rank_of(*node.input(0)); ++i) {
    if (dimensions == nullptr || !has_one_element(*dimensions, i)) return false;
  }
  return true;
}

bool is_last_axis(const Node& node, std::int64_t axis) {
  return axis == -1 || (node.input(0) != nullptr && rank_of(*node.input(0)) == axis + 1);
}

}  // namespace

Node& softmax_up(Node& node) {
  const std::int64_t axis = integer_of(node, "axis", 1);
  if (is_last_axis(node, axis)) {
    set_attribute(node, "axis", -1);
    return node;
  }
  if (const std::optional<std::int64_t> only = only_axis_from(node, axis)) {
    set_attribute(node, "axis", is_last_axis(node, *only) ? -1 : *only);
    return node;
  }
  Graph& graph = node.graph();
  Value* output = node.output(0);
  const std::string op_type(node.op_type());
  const std::string name(node.name());
  Node* before = node.next();
  Value* input = take_out(node).front();
  // The name goes to the node that produces the result: names are unique.
  const auto add = [&](const char* type, std::vector<Value*> inputs, Value* result) -> Node& {
    const bool is_end = result != nullptr;
    if (result == nullptr) result = &graph.add_value("");
    Value* const outputs[] = {result};
    return graph.add_node(type, "", inputs, outputs, is_end ? name : std::string(), before);
  };
  Node& flat = add("Flatten", {input}, nullptr);
  set_attribute(flat, "axis", axis);
  Node& made = add(op_type.c_str(), {flat.output(0)}, nullptr);
  set_attribute(made, "axis", -1);
  const Node& shape = add("Shape", {input}, nullptr);
  return add("Reshape", {made.output(0), shape.output(0)}, output);
}

Node& softmax_down(Node& node) {
  const std::int64_t rank = node.input(0) != nullptr ? rank_of(*node.input(0)) : -1;
  if (rank < 0) refuse_form("the rank of its input is unknown");
  const std::int64_t given = integer_of(node, "axis", -1);
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (!has_nothing_behind(node, axis)) refuse_form("its axis is not known to be the last");
  set_attribute(node, "axis", axis);
  return node;
}

}  // namespace ortool
