// Node edits of opset conversions: attributes to inputs and back.
#include "libcore/optimize/opset/node_edits.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
void refuse_form(std::string reason) {
  throw Error(ErrorCode::unsupported, std::move(reason)).with_id("opset.blocked");
}

namespace {

std::optional<Integers> integers_of(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  if (attribute == nullptr) return std::nullopt;
  if (const auto* one = std::get_if<std::int64_t>(&attribute->value)) return Integers{*one};
  const auto* many = std::get_if<Integers>(&attribute->value);
  return many != nullptr ? *many : Integers{};
}

Value& integer_constant(Graph& graph, const Integers& values) {
  const Shape shape({static_cast<std::int64_t>(values.size())});
  return graph.add_constant("", Tensor::of<std::int64_t>(shape, std::span(values)));
}

}  // namespace

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise) {
  const std::optional<Integers> values = integers_of(node, name);
  return values && values->size() == 1 ? values->front() : otherwise;
}

std::optional<float> float_of(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* number = attribute != nullptr ? std::get_if<float>(&attribute->value) : nullptr;
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

Value& number_like(Node& node, double number) {
  const DataType type = node.input(0) != nullptr ? element_of(*node.input(0)) : DataType::undefined;
  if (!is_floating_point(type)) refuse_form("the type of its input is not known to be a float");
  return node.graph().add_constant("", make_scalar(type, number));
}

void set_input_at(Node& node, std::int64_t index, Value* value) {
  Graph& graph = node.graph();
  while (node.input_count() < index) graph.add_input_to(node, nullptr);
  node.input_count() == index ? graph.add_input_to(node, value)
                              : graph.set_input(node, index, value);
}

void drop_inputs_from(Node& node, std::int64_t index) {
  Graph& graph = node.graph();
  while (node.input_count() > index) {
    Value* input = node.input(node.input_count() - 1);
    graph.remove_last_input(node);
    if (input != nullptr && input->is_constant() && input->uses().empty())
      graph.remove_value(*input);
  }
}

void move_to_input(Node& node, std::string_view name, std::int64_t index) {
  const std::optional<Integers> values = integers_of(node, name);
  if (!values) return;
  set_input_at(node, index, &integer_constant(node.graph(), *values));
  node.remove_attribute(name);
}

std::optional<Integers> constant_integers(const Node& node, std::int64_t index,
                                          std::string_view name) {
  const Value* input = node.input(index);
  if (input == nullptr) return std::nullopt;
  if (!input->is_constant())
    refuse_form(format("its '{}' are computed, and were an attribute in that opset", name));
  Integers values;
  for (std::int64_t i = 0; i < input->constant().element_count(); ++i)
    values.push_back(element_as_int64(input->constant(), i));
  return values;
}

void move_to_attribute(Node& node, std::string_view name, std::int64_t index) {
  std::optional<Integers> values = constant_integers(node, index, name);
  drop_inputs_from(node, index);
  if (values) set_attribute(node, name, std::move(*values));
}

std::vector<Value*> take_out(Node& node) {
  Graph& graph = node.graph();
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i)
    inputs.push_back(node.input(i) != nullptr ? &captured_root(*node.input(i)) : nullptr);
  graph.remove_node(node);
  for (Value*& input : inputs) {
    if (input != nullptr) input = &seen_in(graph, *input);
  }
  return inputs;
}

Node& make_again(Node& node, std::span<Value* const> outputs,
                 std::optional<std::string_view> name) {
  Graph& graph = node.graph();
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : node.attributes())
    attributes.push_back(copy_attribute(attribute));
  const std::string op_type(node.op_type());
  const std::string domain(node.domain());
  const std::string overload(node.overload());
  const std::string own_name(node.has_name_of_its_own() ? node.name() : std::string_view());
  const std::string made_name(name.value_or(own_name));
  const Notes notes = node.notes();
  Node* before = node.next();
  const std::vector<Value*> inputs = take_out(node);
  Node& made = graph.add_node(op_type, domain, inputs, outputs, made_name, before);
  made.set_overload(overload);
  for (Attribute& attribute : attributes) made.set_attribute(std::move(attribute));
  if (!notes.is_empty()) made.mutable_notes() = notes;
  return made;
}

}  // namespace ortool
