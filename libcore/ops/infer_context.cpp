// Helpers of InferContext that are shared by all shape rules.
#include "libcore/ops/infer_context.hpp"

#include "libcore/graph/graph.hpp"
#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

DataType InferContext::element(std::int64_t index) const {
  const ValueType* type = input_type(index);
  return type != nullptr && type->is_tensor() ? type->element : DataType::undefined;
}

PartialShape InferContext::shape(std::int64_t index) const {
  const ValueType* type = input_type(index);
  return type != nullptr && type->is_tensor() ? type->shape : std::nullopt;
}

std::int64_t InferContext::rank(std::int64_t index) const {
  const ValueType* type = input_type(index);
  return type != nullptr && type->is_tensor() && type->shape
             ? static_cast<std::int64_t>(type->shape->size())
             : -1;
}

void InferContext::set_output(std::int64_t index, DataType element, PartialShape shape) {
  if (has_output(index)) set_output_type(index, ValueType::tensor(element, std::move(shape)));
}

std::optional<KnownElements> InferContext::input_elements(std::int64_t index) const {
  const std::optional<Dimensions> dimensions = input_dimensions(index);
  if (!dimensions) return std::nullopt;
  return KnownElements(dimensions->begin(), dimensions->end());
}

void InferContext::set_output_elements(std::int64_t index, KnownElements elements) {
  Dimensions dimensions;
  for (const KnownElement& element : elements) {
    if (element.denominator != 1) return;
    dimensions.push_back(element.numerator);
  }
  set_output_dimensions(index, std::move(dimensions));
}

std::vector<InferredValue> InferContext::infer_body(const Graph& body, std::vector<InferredValue>) {
  return std::vector<InferredValue>(body.outputs().size());
}

InferredValue InferContext::input(std::int64_t index) const {
  const ValueType* type = input_type(index);
  if (type == nullptr) return {};
  return {*type, has_known_elements(element(index)) ? input_elements(index) : std::nullopt};
}

void InferContext::set_output(std::int64_t index, InferredValue value) {
  if (!has_output(index)) return;
  set_output_type(index, std::move(value.type));
  if (value.elements) set_output_elements(index, std::move(*value.elements));
}

std::optional<std::vector<std::int64_t>> InferContext::integers(std::int64_t index) const {
  if (const Tensor* tensor = input_value(index)) return integers_of(*tensor);
  const std::optional<Dimensions> dimensions = input_dimensions(index);
  if (!dimensions) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Dimension& dimension : *dimensions) {
    if (!dimension.is_known()) return std::nullopt;
    numbers.push_back(dimension.number());
  }
  return numbers;
}

}  // namespace ortool
