// Merges inferred with declared types, and records the causes of unknowns.
#include "libcore/infer/node_context.hpp"

#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/infer/merge_types.hpp"

namespace ortool {
namespace {

/// Elements of which only the number is known.
std::optional<KnownElements> unknown_elements(const ValueType& type) {
  const bool is_followed = type.is_tensor() && type.shape &&
                           (type.element == DataType::int64 || type.element == DataType::int32 ||
                            type.element == DataType::boolean);
  if (!is_followed) return std::nullopt;
  std::int64_t count = 1;
  for (const Dimension& dimension : *type.shape) {
    if (!dimension.is_known() || dimension.number() > max_known_elements) return std::nullopt;
    count *= dimension.number();
    if (count > max_known_elements) return std::nullopt;
  }
  return KnownElements(static_cast<std::size_t>(count));
}

void check_dimensions(const ValueType& type) {
  if (!type.shape) return;
  if (type.shape->size() > static_cast<std::size_t>(Shape::max_dimensions)) {
    throw Error(ErrorCode::invalid, format("an output would have rank {} (at most {})",
                                           type.shape->size(), Shape::max_dimensions));
  }
  for (const Dimension& dimension : *type.shape) {
    if (!dimension.is_known() || dimension.number() >= 0) continue;
    throw Error(ErrorCode::invalid,
                format("an output would have the shape {}", to_string(type.shape)),
                "check the sizes that the shape is computed from");
  }
}

}  // namespace

NodeContext::NodeContext(const Node& node, Inference& inference)
    : node_(node), inference_(inference), is_set_(static_cast<std::size_t>(node.output_count())) {}

const ValueType* NodeContext::input_type(std::int64_t index) const {
  const Value* value = node_.input(index);
  return value != nullptr ? &inference_.type_of(*value) : nullptr;
}

const Tensor* NodeContext::input_value(std::int64_t index) const {
  const Value* value = node_.input(index);
  return value != nullptr ? inference_.tensor_of(*value) : nullptr;
}

std::optional<KnownElements> NodeContext::input_elements(std::int64_t index) const {
  const Value* value = node_.input(index);
  if (value == nullptr) return std::nullopt;
  if (const KnownElements* elements = inference_.elements_of(*value)) return *elements;
  if (const Tensor* tensor = inference_.tensor_of(*value)) return elements_of(*tensor);
  return unknown_elements(inference_.type_of(*value));
}

std::optional<Dimensions> NodeContext::input_dimensions(std::int64_t index) const {
  const bool is_integer = element(index) == DataType::int64 || element(index) == DataType::int32;
  if (!is_integer || rank(index) < 0 || rank(index) > 1) return std::nullopt;
  const std::optional<KnownElements> elements = input_elements(index);
  if (!elements) return std::nullopt;
  Dimensions dimensions;
  dimensions.reserve(elements->size());
  for (const KnownElement& element : *elements) dimensions.push_back(element.numerator);
  return dimensions;
}

void NodeContext::set_output_type(std::int64_t index, ValueType type) {
  Value* value = node_.output(index);
  if (value == nullptr) return;
  check_dimensions(type);
  give_causes(type);
  const std::optional<ValueType> trusted = inference_.trusted_type(*value, type);
  MergedType merged =
      merge_types(value->name(), trusted ? *trusted : value->type(), std::move(type));
  if (merged.contradicts) inference_.warn(*value, value->type(), merged.type);
  value->set_type(std::move(merged.type));
  inference_.forget(*value);
  is_set_[static_cast<std::size_t>(index)] = true;
}

void NodeContext::set_output_dimensions(std::int64_t index, Dimensions values) {
  set_output_elements(index, KnownElements(values.begin(), values.end()));
}

void NodeContext::set_output_elements(std::int64_t index, KnownElements elements) {
  if (node_.output(index) != nullptr)
    inference_.set_elements(*node_.output(index), std::move(elements));
}

void NodeContext::set_output_value(std::int64_t index, const Tensor& tensor) {
  if (node_.output(index) != nullptr) inference_.set_tensor(*node_.output(index), tensor);
}

void NodeContext::forward_value(std::int64_t input, std::int64_t output) {
  if (const Tensor* value = input_value(input)) set_output_value(output, *value);
}

Dimension NodeContext::unknown_dimension() const {
  return Dimension::unknown_because(std::string(node_.name()));
}

std::vector<InferredValue> NodeContext::infer_body(const Graph& body,
                                                   std::vector<InferredValue> inputs) {
  return inference_.infer_body(body, std::move(inputs));
}

void NodeContext::finish() {
  for (std::int64_t i = 0; i < node_.output_count(); ++i) {
    if (node_.output(i) != nullptr && !is_set_[static_cast<std::size_t>(i)])
      set_output_type(i, ValueType());
  }
}

/// The first cause that an input has: a rule that leaves a dimension unknown mostly lacked inputs.
Dimension NodeContext::cause_from_inputs() const {
  for (std::int64_t i = 0; i < node_.input_count(); ++i) {
    const ValueType* type = input_type(i);
    if (type == nullptr || type->unknown_because().empty()) continue;
    return Dimension::unknown_because(type->unknown_because());
  }
  return unknown_dimension();
}

void NodeContext::give_causes(ValueType& type) const {
  const auto lacks_cause = [](const Dimension& dimension) {
    return dimension.is_unknown() && dimension.cause().empty();
  };
  std::optional<Dimension> cause;
  const auto give = [&](Dimension& dimension) {
    if (!lacks_cause(dimension)) return;
    if (!cause) cause = cause_from_inputs();
    dimension = *cause;
  };
  if (type.inner != nullptr) {
    ValueType inner = *type.inner;
    give_causes(inner);
    type.inner = std::make_shared<const ValueType>(std::move(inner));
  } else if (!is_shaped(type) || !type.shape) {
    give(type.rank_cause);
  } else {
    for (Dimension& dimension : *type.shape) give(dimension);
  }
}

}  // namespace ortool
