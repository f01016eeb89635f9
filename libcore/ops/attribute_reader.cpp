// Typed access to attributes, and to the constant inputs that replace them in later opsets.
#include "libcore/ops/attribute_reader.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

template <typename T>
const T* AttributeReader::find(std::string_view name) {
  const Attribute* attribute = node_.find_attribute(name);
  if (attribute == nullptr) return nullptr;
  const T* value = std::get_if<T>(&attribute->value);
  if (value == nullptr) {
    throw Error(ErrorCode::invalid,
                format("attribute '{}' is of kind {}, which this operator cannot read there", name,
                       name_of(attribute->kind())));
  }
  return value;
}

std::int64_t AttributeReader::integer(std::string_view name, std::int64_t default_value) {
  const auto* value = find<std::int64_t>(name);
  return value != nullptr ? *value : default_value;
}

float AttributeReader::number(std::string_view name, float default_value) {
  const auto* value = find<float>(name);
  return value != nullptr ? *value : default_value;
}

bool AttributeReader::flag(std::string_view name, bool default_value) {
  const std::int64_t value = integer(name, default_value ? 1 : 0);
  if (value != 0 && value != 1) {
    throw Error(ErrorCode::invalid, format("attribute '{}' is {} (expected 0 or 1)", name, value));
  }
  return value == 1;
}

std::string AttributeReader::string(std::string_view name, std::string_view default_value) {
  const auto* value = find<std::string>(name);
  return value != nullptr ? *value : std::string(default_value);
}

std::int64_t AttributeReader::integer_in(std::string_view name, std::int64_t default_value,
                                         std::int64_t least, std::int64_t most) {
  const std::int64_t value = integer(name, default_value);
  if (value >= least && value <= most) return value;
  throw Error(ErrorCode::invalid,
              format("attribute '{}' is {} (expected {} to {})", name, value, least, most));
}

std::optional<std::int64_t> AttributeReader::find_integer(std::string_view name) {
  const auto* value = find<std::int64_t>(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<float> AttributeReader::find_number(std::string_view name) {
  const auto* value = find<float>(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> AttributeReader::find_integers(std::string_view name) {
  const auto* value = find<std::vector<std::int64_t>>(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<float>> AttributeReader::find_numbers(std::string_view name) {
  const auto* value = find<std::vector<float>>(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<std::string>> AttributeReader::find_strings(std::string_view name) {
  const auto* value = find<std::vector<std::string>>(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

Tensor AttributeReader::tensor(std::string_view name) {
  const auto* value = find<Tensor>(name);
  return value != nullptr ? *value : Tensor();
}

Graph* AttributeReader::graph(std::string_view name) {
  const auto* value = find<std::unique_ptr<Graph>>(name);
  return value != nullptr ? value->get() : nullptr;
}

const SparseTensor* AttributeReader::sparse_tensor(std::string_view name) {
  return find<SparseTensor>(name);
}

const ValueType* AttributeReader::type(std::string_view name) {
  return find<ValueType>(name);
}

ValueOrInput<std::vector<std::int64_t>> AttributeReader::integers_or_input(
    std::string_view name, std::int64_t input_index) {
  if (knows(name)) return {.value = find_integers(name)};
  const Value* input = node_.input(input_index);
  if (input == nullptr) return {};
  if (!input->is_constant()) return {.input = input_index};
  return {.value = integers_of(input->constant()), .input = input_index};
}

ValueOrInput<std::int64_t> AttributeReader::integer_or_input(std::string_view name,
                                                             std::int64_t input_index) {
  if (knows(name)) return {.value = find_integer(name)};
  const Value* input = node_.input(input_index);
  if (input == nullptr) return {};
  if (!input->is_constant()) return {.input = input_index};
  const std::vector<std::int64_t> values = integers_of(input->constant());
  if (values.size() != 1) {
    throw Error(ErrorCode::invalid, format("input {} ('{}') holds {} elements (expected 1)",
                                           input_index, name, values.size()));
  }
  return {.value = values[0], .input = input_index};
}

ValueOrInput<float> AttributeReader::number_or_input(std::string_view name,
                                                     std::int64_t input_index) {
  if (knows(name)) return {.value = find_number(name)};
  const Value* input = node_.input(input_index);
  if (input == nullptr) return {};
  if (!input->is_constant() || input->constant().type() != DataType::float32)
    return {.input = input_index};
  const std::vector<float> values = numbers_of(input->constant());
  if (values.size() != 1) {
    throw Error(ErrorCode::invalid, format("input {} ('{}') holds {} elements (expected 1)",
                                           input_index, name, values.size()));
  }
  return {.value = values[0], .input = input_index};
}

void AttributeReader::ignore(std::string_view) {}

std::vector<std::int64_t> integers_of(const Tensor& tensor) {
  const Tensor aligned = tensor.aligned();
  if (aligned.type() == DataType::int64) {
    const auto values = aligned.data<std::int64_t>();
    return {values.begin(), values.end()};
  }
  if (aligned.type() == DataType::int32) {
    const auto values = aligned.data<std::int32_t>();
    return {values.begin(), values.end()};
  }
  throw Error(ErrorCode::invalid,
              format("a tensor of {} is given where integers are needed (expected int32 or int64)",
                     name_of(tensor.type())));
}

std::vector<float> numbers_of(const Tensor& tensor) {
  if (tensor.type() != DataType::float32) {
    throw Error(ErrorCode::invalid,
                format("a tensor of {} is given where float32 is needed", name_of(tensor.type())));
  }
  const Tensor aligned = tensor.aligned();
  const auto values = aligned.data<float>();
  return {values.begin(), values.end()};
}

}  // namespace ortool
