// Short forms that every shape rule uses.
#include "libcore/ops/infer_context.hpp"

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
