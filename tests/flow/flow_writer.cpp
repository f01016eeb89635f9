// Writer of nested graphs: sources become model inputs; some pass through identity-like nodes.
#include "tests/flow/flow_writer.hpp"

#include <limits>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool::test {
namespace {

constexpr std::int64_t first_opset_of_slices = 10;
constexpr std::int64_t first_opset_of_axes = 13;

}  // namespace

Attribute integer_attribute(std::string name, std::int64_t value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.value = value;
  return attribute;
}

Attribute integers_attribute(std::string name, std::vector<std::int64_t> values) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.value = std::move(values);
  return attribute;
}

Value& FlowWriter::reach(Scope& scope, Value& value) {
  if (value.is_in(*scope.graph)) return value;
  return scope.graph->capture(reach(*scope.outer, value));
}

Value& FlowWriter::add_node(Scope& scope, std::string_view op_type, std::vector<Value*> inputs,
                            std::vector<Attribute> attributes) {
  Value* const made = &scope.graph->add_value(names_.value());
  Node& node = scope.graph->add_node(op_type, "", inputs, {&made, 1}, names_.node(), scope.inside);
  for (Attribute& attribute : attributes) node.set_attribute(std::move(attribute));
  return *made;
}

Value& FlowWriter::constant(Scope& scope, const Tensor& tensor) {
  Scope* home = &scope;
  while (home->outer != nullptr && dice_.percent(40)) home = home->outer;
  return reach(scope, home->graph->add_constant(names_.value(), tensor));
}

/// Dimensions as the fragment declares them, all known, or each a fresh symbol.
ValueType FlowWriter::type_for(const Source& source) {
  const auto& [fragment, input, chosen] = source;
  const Tensor& tensor = tensor_of(source);
  PartialShape shape = to_partial(tensor.shape());
  const std::size_t kind = dice_.below(3);
  const PartialShape& declared = fragment->model->graph->inputs()[input]->type().shape;
  const std::string& prefix =
      prefixes_.try_emplace(fragment, format("p{}_", prefixes_.size())).first->second;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (kind == 1) (*shape)[i] = Dimension::symbol(names_.value());
    const bool has_symbol = declared && i < declared->size() && (*declared)[i].is_symbol();
    if (kind == 2 && has_symbol) (*shape)[i] = Dimension::symbol(prefix + (*declared)[i].symbol());
  }
  return ValueType::tensor(tensor.type(), std::move(shape));
}

Value& FlowWriter::new_input(const Source& source) {
  Value& value = main_.graph->add_input(names_.value(), type_for(source));
  inputs_.emplace_back(std::string(value.name()), tensor_of(source));
  main_.found[source].push_back(&value);
  return value;
}

Value& FlowWriter::input(Scope& scope, const std::string& name, const Tensor& tensor) {
  Value*& value = named_[name];
  if (value == nullptr) {
    value =
        &main_.graph->add_input(name, ValueType::tensor(tensor.type(), to_partial(tensor.shape())));
    inputs_.emplace_back(name, tensor);
  }
  return reach(scope, *value);
}

Value& FlowWriter::derived(Scope& scope, Value& value, const Source& source) {
  const std::int64_t opset = scope.graph->opset("");
  const Tensor& tensor = tensor_of(source);
  const Shape one({1});
  const auto numbers = [&](std::int64_t number) {
    return &constant(scope, Tensor::of<std::int64_t>(one, {number}));
  };
  switch (dice_.below(4)) {
    case 0:
      if (opset < first_opset_of_axes) break;
      return add_node(scope, "Squeeze",
                      {&add_node(scope, "Unsqueeze", {&value, numbers(0)}), numbers(0)});
    case 1: {
      if (opset < first_opset_of_slices || tensor.shape().rank() == 0) break;
      Value& twice = add_node(scope, "Concat", {&value, &value}, [] {
        std::vector<Attribute> attributes;
        attributes.push_back(integer_attribute("axis", 0));
        return attributes;
      }());
      return add_node(scope, "Slice",
                      {&twice, numbers(tensor.shape()[0]),
                       numbers(std::numeric_limits<std::int64_t>::max()), numbers(0)});
    }
    case 2:
      if (tensor.type() != DataType::float32) break;
      return add_node(scope, "Add", {&value, &input(scope, "zero", Tensor::scalar(0.0F))});
    default:
      break;
  }
  return add_node(scope, "Identity", {&value});
}

Value& FlowWriter::find(Scope& scope, const Source& source) {
  std::vector<std::pair<Scope*, Value*>> there;
  for (Scope* each = &scope; each != nullptr; each = each->outer) {
    for (Value* value : each->found[source]) there.emplace_back(each, value);
  }
  if (there.empty() || dice_.percent(15)) there.assign(1, {&main_, &new_input(source)});
  const auto [home, value] = there[dice_.below(there.size())];
  if (dice_.percent(50)) return reach(scope, *value);
  Scope* builder = &scope;
  while (builder != home && dice_.percent(60)) builder = builder->outer;
  Value& made = derived(*builder, reach(*builder, *value), source);
  builder->found[source].push_back(&made);
  return reach(scope, made);
}

Value& FlowWriter::as_output(Scope& scope, Value& value) {
  const bool is_plain = value.is_in(*scope.graph) && value.producer() != nullptr &&
                        !value.is_graph_output() && dice_.percent(85);
  return is_plain ? value : add_node(scope, "Identity", {&reach(scope, value)});
}

}  // namespace ortool::test
