// Values of the C interface: tensors over the caller's memory, strings, sequences and maps.
#include <string_view>
#include <vector>

#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::c {
namespace {

Shape shape_of(const std::int64_t* dimensions, std::size_t rank) {
  if (rank > 0) require(dimensions, "shape");
  return Shape(std::vector<std::int64_t>(dimensions, dimensions + rank));
}

DataType element_type(ortool_type type) {
  if (type != ORTOOL_UNDEFINED && is_known(type)) return static_cast<DataType>(type);
  throw Error(ErrorCode::invalid, format("{} is not an element type", type),
              "use one of the constants from ORTOOL_FLOAT32")
      .with_id("usage.value");
}

const Tensor& tensor_of(const ortool_value* value, std::string_view parameter) {
  require(value, parameter);
  return value->value.tensor();
}

const Tensor* tensor_or_null(const ortool_value* value) {
  return value->value.is_tensor() ? &value->value.tensor() : nullptr;
}

/// What several values refer to.
std::shared_ptr<const void> keep_all(std::vector<std::shared_ptr<const void>> keepers) {
  std::erase(keepers, nullptr);
  if (keepers.empty()) return nullptr;
  return std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(keepers));
}

}  // namespace
}  // namespace ortool::c

using namespace ortool;     // NOLINT(google-build-using-namespace): functions of the C interface
using namespace ortool::c;  // NOLINT(google-build-using-namespace)

ortool_status ortool_tensor_new(ortool_type type, const int64_t* shape, size_t rank, void* data,
                                size_t size, ortool_value** value_out, ortool_error** error) {
  return guarded(error, [&] {
    require(value_out, "value_out");
    const DataType element = element_type(type);
    if (element == DataType::string) {
      throw Error(ErrorCode::invalid, "a tensor of strings is not plain memory",
                  "use ortool_tensor_of_strings")
          .with_id("usage.value");
    }
    Shape dimensions = shape_of(shape, rank);
    const std::int64_t needed = bytes_of(element, dimensions.element_count());
    if (needed > 0) require(data, "data");
    if (size < static_cast<std::size_t>(needed)) {
      throw Error(ErrorCode::invalid,
                  format("{} bytes are given for {}[{}], which takes {}", size, name_of(element),
                         dimensions.to_string(), needed),
                  "give the size of the memory in bytes")
          .with_id("usage.value");
    }
    const std::span<std::byte> bytes(static_cast<std::byte*>(data), size);
    Tensor tensor = Tensor::view(element, std::move(dimensions),
                                 bytes.first(static_cast<std::size_t>(needed)), nullptr);
    *value_out = new ortool_value{std::move(tensor), bytes};
  });
}

ortool_status ortool_tensor_of_strings(const int64_t* shape, size_t rank,
                                       const char* const* strings, const size_t* lengths,
                                       ortool_value** value_out, ortool_error** error) {
  return guarded(error, [&] {
    require(value_out, "value_out");
    Shape dimensions = shape_of(shape, rank);
    const auto count = static_cast<std::size_t>(dimensions.element_count());
    if (count > 0) require(strings, "strings");
    std::vector<std::string> texts;
    texts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      require(strings[i], "strings[]");
      texts.emplace_back(lengths != nullptr ? std::string_view(strings[i], lengths[i])
                                            : std::string_view(strings[i]));
    }
    *value_out = new ortool_value{Tensor::of_strings(std::move(dimensions), std::move(texts))};
  });
}

ortool_status ortool_sequence_new(const ortool_value* const* elements, size_t count,
                                  ortool_value** value_out, ortool_error** error) {
  return guarded(error, [&] {
    require(value_out, "value_out");
    if (count > 0) require(elements, "elements");
    std::vector<RunValue> values;
    std::vector<std::shared_ptr<const void>> keepers;
    for (std::size_t i = 0; i < count; ++i) {
      require(elements[i], "elements[]");
      values.push_back(elements[i]->value);
      keepers.push_back(elements[i]->keeper);
    }
    *value_out =
        new ortool_value{RunValue::sequence(std::move(values)), {}, keep_all(std::move(keepers))};
  });
}

ortool_status ortool_map_new(const ortool_value* keys, const ortool_value* values,
                             ortool_value** value_out, ortool_error** error) {
  return guarded(error, [&] {
    require(value_out, "value_out");
    const Tensor& key = tensor_of(keys, "keys");
    const Tensor& value = tensor_of(values, "values");
    const bool is_key = key.type() == DataType::int64 || key.type() == DataType::string;
    if (!is_key || key.shape().rank() != 1 || !(key.shape() == value.shape())) {
      throw Error(ErrorCode::invalid,
                  format("a map has keys of int64 or strings and as many values, in one axis, not "
                         "{}[{}] and {}[{}]",
                         name_of(key.type()), key.shape().to_string(), name_of(value.type()),
                         value.shape().to_string()),
                  "give two tensors of rank 1 and of equal length")
          .with_id("usage.value");
    }
    *value_out =
        new ortool_value{RunValue::map(key, value), {}, keep_all({keys->keeper, values->keeper})};
  });
}

void ortool_value_free(ortool_value* value) {
  delete value;
}

ortool_kind ortool_value_kind(const ortool_value* value) {
  switch (value->value.kind()) {
    case RunValue::Kind::tensor:
      return ORTOOL_TENSOR;
    case RunValue::Kind::sequence:
      return ORTOOL_SEQUENCE;
    case RunValue::Kind::map:
      return ORTOOL_MAP;
    default:
      return ORTOOL_NONE;
  }
}

size_t ortool_value_count(const ortool_value* value) {
  const RunValue& held = value->value;
  if (held.is_tensor()) return static_cast<size_t>(held.tensor().element_count());
  if (held.is_sequence()) return held.elements().size();
  return held.is_map() ? 2 : 0;
}

ortool_status ortool_value_element(const ortool_value* value, size_t index,
                                   ortool_value** element_out, ortool_error** error) {
  return guarded(error, [&] {
    require(value, "value");
    require(element_out, "element_out");
    const RunValue& held = value->value;
    const std::size_t count = held.is_tensor() ? 0 : ortool_value_count(value);
    if (index >= count) {
      throw Error(ErrorCode::invalid, format("{} has no element {}", held.describe(), index),
                  "only sequences and maps have elements that are values; ortool_value_count() "
                  "says how many")
          .with_id("usage.value");
    }
    RunValue element = held.is_sequence() ? held.elements()[index]
                       : index == 0       ? RunValue(held.keys())
                                          : RunValue(held.map_values());
    *element_out = new ortool_value{std::move(element), {}, value->keeper};
  });
}

ortool_type ortool_tensor_type(const ortool_value* tensor) {
  const Tensor* held = tensor_or_null(tensor);
  return held != nullptr ? static_cast<ortool_type>(held->type()) : ORTOOL_UNDEFINED;
}

const int64_t* ortool_tensor_shape(const ortool_value* tensor, size_t* rank) {
  const Tensor* held = tensor_or_null(tensor);
  if (rank != nullptr) *rank = held != nullptr ? static_cast<size_t>(held->shape().rank()) : 0;
  return held != nullptr ? held->shape().begin() : nullptr;
}

const void* ortool_tensor_data(const ortool_value* tensor) {
  const Tensor* held = tensor_or_null(tensor);
  return held != nullptr && held->type() != DataType::string ? held->bytes() : nullptr;
}

size_t ortool_tensor_size(const ortool_value* tensor) {
  const Tensor* held = tensor_or_null(tensor);
  return held != nullptr ? static_cast<size_t>(held->size_bytes()) : 0;
}

const char* ortool_tensor_string(const ortool_value* tensor, size_t index, size_t* length) {
  const Tensor* held = tensor_or_null(tensor);
  const bool is_there =
      held != nullptr && held->type() == DataType::string && index < held->strings().size();
  if (length != nullptr) *length = is_there ? held->strings()[index].size() : 0;
  return is_there ? held->strings()[index].c_str() : nullptr;
}
