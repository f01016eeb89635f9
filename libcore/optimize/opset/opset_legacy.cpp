// Opset adapters of the oldest versions; where the form depends on shapes, they must be known.
#include "libcore/optimize/opset/opset_legacy.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::legacy {
namespace {

std::optional<Shape> shape_of(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_constant()) return value->constant().shape();
  return to_known(value->type().shape);
}

std::int64_t rank_of_value(const Value* value) {
  if (value == nullptr) return -1;
  return value->is_constant() ? value->constant().shape().rank() : rank_of(*value);
}

void set_words(Node& node, const char* name, std::string words) {
  Attribute attribute;
  attribute.name = name;
  attribute.value = std::move(words);
  node.set_attribute(std::move(attribute));
}

/// Appends dimensions of 1 to an operand.
void append_ones(Node& node, std::int64_t index, std::int64_t count) {
  Value* operand = node.input(index);
  const std::int64_t rank = rank_of_value(operand);
  Graph& graph = node.graph();
  // 0 copies the dimension.
  Integers dimensions(static_cast<std::size_t>(rank), 0);
  dimensions.resize(static_cast<std::size_t>(rank + count), 1);
  const Shape shape{rank + count};
  Value& wanted = graph.add_constant("", Tensor::of<std::int64_t>(shape, std::span(dimensions)));
  Value& result = graph.add_value("");
  Value* const inputs[] = {operand, &wanted};
  Value* const outputs[] = {&result};
  graph.add_node("Reshape", "", inputs, outputs, {}, &node);
  graph.set_input(node, index, &result);
}

std::vector<float> constant_scales(const Value* scales) {
  std::vector<float> numbers;
  if (scales == nullptr || !scales->is_constant()) return numbers;
  for (std::int64_t i = 0; i < scales->constant().element_count(); ++i)
    numbers.push_back(static_cast<float>(element_as_double(scales->constant(), i)));
  return numbers;
}

/// The Resize of opset 11 by scales.
void set_resize(Node& node, Value& scales, const char* rounding) {
  const Tensor no_region = Tensor::of<float>(Shape({0}), std::span<const float>());
  node.graph().set_input(node, 1, &node.graph().add_constant("", no_region));
  set_input_at(node, 2, &scales);
  set_words(node, "coordinate_transformation_mode", "asymmetric");
  set_words(node, "nearest_mode", rounding);
}

}  // namespace

Node& broadcast_up(Node& node) {
  const std::int64_t axis = integer_of(node, "axis", -1);
  const bool is_along_axis =
      integer_of(node, "broadcast", 0) != 0 && node.find_attribute("axis") != nullptr;
  node.remove_attribute("axis");
  node.remove_attribute("broadcast");
  const std::int64_t second = rank_of_value(node.input(1));
  if (!is_along_axis || second == 0) return node;
  const std::int64_t first = rank_of_value(node.input(0));
  if (first < 0 || second < 0) refuse_form("the ranks of its operands are unknown");
  const std::int64_t behind = first - ((axis < 0 ? axis + first : axis) + second);
  if (behind < 0)
    refuse_form("its second operand cannot be broadcast to the first by that opset's rules");
  if (behind > 0) append_ones(node, 1, behind);
  return node;
}

Node& broadcast_down(Node& node) {
  const std::optional<Shape> first = shape_of(node.input(0));
  const std::optional<Shape> second = shape_of(node.input(1));
  if (!first || !second) refuse_form("whether its operands have equal shapes is unknown");
  if (*first == *second) return node;
  const bool is_along_end =
      second->rank() <= first->rank() &&
      std::equal(second->begin(), second->end(), first->end() - second->rank());
  const bool is_single = second->element_count() == 1 && second->rank() <= first->rank();
  if (!is_along_end && !is_single)
    refuse_form("its second operand is neither a suffix of the first's shape nor a single number");
  set_attribute(node, "broadcast", 1);
  return node;
}

Node& gemm_up(Node& node) {
  node.remove_attribute("broadcast");
  return node;
}

Node& gemm_down(Node& node) {
  const std::optional<Shape> whole = shape_of(node.output(0));
  const std::optional<Shape> third = shape_of(node.input(2));
  if (!whole || !third) refuse_form("whether 'C' has the shape of the result is unknown");
  if (*whole == *third) return node;
  const bool is_row = third->rank() == 1 && (*third)[0] == (*whole)[1];
  if (!is_row && third->element_count() != 1)
    refuse_form("'C' has neither the shape of the result nor that of one of its rows");
  set_attribute(node, "broadcast", 1);
  return node;
}

Node& prelu_up(Node& node) {
  const std::optional<Shape> slope = shape_of(node.input(1));
  if (!slope) refuse_form("the shape of 'slope' is unknown");
  if (slope->element_count() == 1 || slope->rank() != 1) return node;
  const std::int64_t rank = rank_of_value(node.input(0));
  if (rank < 0) refuse_form("the rank of its input is unknown");
  if (rank > 2) append_ones(node, 1, rank - 2);
  return node;
}

Node& prelu_down(Node& node) {
  const Value* slope = node.input(1);
  const std::optional<Shape> shape = shape_of(slope);
  const std::optional<Shape> whole = shape_of(node.input(0));
  if (!shape || !whole) refuse_form("the shapes of its inputs are unknown");
  if (shape->element_count() == 1) return node;
  const bool is_of_channels = shape->element_count() == (*whole)[1] &&
                              shape->rank() == whole->rank() - 1 &&
                              (*shape)[0] == shape->element_count();
  if (!is_of_channels || (shape->rank() > 1 && !slope->is_constant()))
    refuse_form("its slopes are not one per channel");
  if (shape->rank() == 1) return node;
  const Tensor& tensor = slope->constant();
  node.graph().set_input(
      node, 1, &node.graph().add_constant("", tensor.reshaped(Shape{shape->element_count()})));
  return node;
}

Node& dropout_up(Node& node) {
  if (integer_of(node, "is_test", 0) == 0) refuse_form("it is in training mode");
  node.remove_attribute("is_test");
  return node;
}

Node& dropout_down(Node& node) {
  set_attribute(node, "is_test", 1);
  return node;
}

Node& batch_norm_up(Node& node) {
  node.remove_attribute("is_test");
  return node;
}

Node& recurrent_up(Node& node) {
  if (node.output(0) != nullptr && integer_of(node, "output_sequence", 0) == 0)
    refuse_form("'output_sequence' is 0, but its first output is used");
  node.remove_attribute("output_sequence");
  return node;
}

Node& recurrent_down(Node& node) {
  if (node.output(0) != nullptr) set_attribute(node, "output_sequence", 1);
  return node;
}

Node& cast_up(Node& node) {
  const Attribute* to = node.find_attribute("to");
  const auto* words = to != nullptr ? std::get_if<std::string>(&to->value) : nullptr;
  std::string name = words != nullptr ? *words : std::string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const std::optional<DataType> type = data_type_from_name(name);
  if (!type) refuse_form("'to' is not the name of a type");
  node.remove_attribute("to");
  set_attribute(node, "to", static_cast<std::int64_t>(*type));
  return node;
}

Node& cast_down(Node& node) {
  const std::int64_t type = integer_of(node, "to", 0);
  if (type < 1 || type >= data_type_count) refuse_form("'to' is not a type");
  node.remove_attribute("to");
  set_words(node, "to", std::string(onnx_name_of(static_cast<DataType>(type))));
  return node;
}

Node& concat_up(Node& node) {
  if (node.find_attribute("axis") == nullptr) set_attribute(node, "axis", 1);
  return node;
}

Node& same_shapes_down(Node& node) {
  const std::optional<Shape> first = shape_of(node.input(0));
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const std::optional<Shape> other = shape_of(node.input(i));
    if (!first || !other || !(*first == *other))
      refuse_form("its operands are not known to have equal shapes");
  }
  return node;
}

Node& upsample_up(Node& node) {
  const Attribute* scales = node.find_attribute("scales");
  const auto* numbers =
      scales != nullptr ? std::get_if<std::vector<float>>(&scales->value) : nullptr;
  if (numbers == nullptr) refuse_form("it has no 'scales'");
  const Shape shape{static_cast<std::int64_t>(numbers->size())};
  Value& input =
      node.graph().add_constant("", Tensor::of<float>(shape, std::span<const float>(*numbers)));
  node.remove_attribute("scales");
  set_input_at(node, 1, &input);
  return node;
}

Node& upsample_down(Node& node) {
  const Value* scales = node.input(1);
  if (scales == nullptr || !scales->is_constant()) refuse_form("its 'scales' are computed");
  const auto numbers = scales->constant().aligned().data<float>();
  Attribute attribute;
  attribute.name = "scales";
  attribute.value = std::vector<float>(numbers.begin(), numbers.end());
  drop_inputs_from(node, 1);
  node.set_attribute(std::move(attribute));
  return node;
}

Node& resize_up(Node& node) {
  Graph& graph = node.graph();
  Value* scales = node.input(1);
  const std::vector<float> factors = constant_scales(scales);
  const auto shortens = [](float factor) { return factor < 1; };
  const bool has_shorter = std::any_of(factors.begin(), factors.end(), shortens);
  const bool has_longer =
      std::any_of(factors.begin(), factors.end(), [](float factor) { return factor > 1; });
  const Attribute* mode = node.find_attribute("mode");
  const bool is_nearest = mode == nullptr || std::get<std::string>(mode->value) == "nearest";
  if (!has_shorter || !has_longer || !is_nearest) {
    set_resize(node, *scales, has_shorter ? "ceil" : "floor");
    return node;
  }
  // Rounding to the nearest pixel is separable by axis: first the axes that shrink, then the
  // others.
  std::vector<float> shorter = factors;
  std::vector<float> longer = factors;
  for (std::size_t i = 0; i < factors.size(); ++i) (shortens(factors[i]) ? longer : shorter)[i] = 1;
  const auto constant = [&](const std::vector<float>& numbers) -> Value& {
    const Shape shape{static_cast<std::int64_t>(numbers.size())};
    return graph.add_constant("", Tensor::of<float>(shape, std::span(numbers)));
  };
  Value& between = graph.add_value("");
  Value* const inputs[] = {node.input(0)};
  Value* const outputs[] = {&between};
  Node& first = graph.add_node("Resize", "", inputs, outputs, {}, &node);
  set_words(first, "mode", "nearest");
  set_input_at(first, 1, scales);
  set_resize(first, constant(shorter), "ceil");
  graph.set_input(node, 0, &between);
  set_resize(node, constant(longer), "floor");
  if (scales->uses().empty()) graph.remove_value(*scales);
  return node;
}

}  // namespace ortool::legacy
