// Writes a value as a protobuf message of its own.
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/value_file.hpp"
#include "libcore/onnx/write/wire_writer.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace onnx {
namespace {

void put_tensor(WireWriter& writer, const Tensor& tensor, std::string_view name) {
  for (const std::int64_t dimension : tensor.shape()) {
    writer.put_varint(tensor_field::dims, dimension);
  }
  writer.put_varint(tensor_field::data_type, static_cast<std::int64_t>(tensor.type()));
  if (!name.empty()) writer.put_bytes(tensor_field::name, name);
  if (tensor.type() == DataType::string) {
    for (const std::string& text : tensor.strings()) {
      writer.put_bytes(tensor_field::string_data, text);
    }
    return;
  }
  writer.put_view(tensor_field::raw_data,
                  {tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())});
}

std::uint32_t kind_number(const RunValue& value) {
  switch (value.kind()) {
    case RunValue::Kind::tensor:
      return element_kind::tensor;
    case RunValue::Kind::sequence:
      return element_kind::sequence;
    case RunValue::Kind::map:
      return element_kind::map;
    case RunValue::Kind::none:
      return element_kind::optional;
  }
  return element_kind::undefined;
}

std::uint32_t kind_number(const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::tensor:
      return element_kind::tensor;
    case ValueType::Kind::sequence:
      return element_kind::sequence;
    case ValueType::Kind::map:
      return element_kind::map;
    case ValueType::Kind::optional:
      return element_kind::optional;
    default:
      return element_kind::undefined;
  }
}

const ValueType& inner_of(const ValueType& type) {
  static const ValueType unknown;
  return type.inner != nullptr ? *type.inner : unknown;
}

void put_value(WireWriter& writer, const RunValue& value, const ValueType& type,
               std::string_view name);

void put_sequence(WireWriter& writer, std::span<const RunValue> elements, const ValueType& type,
                  std::string_view name) {
  if (!name.empty()) writer.put_bytes(sequence_field::name, name);
  const ValueType& inner = inner_of(type);
  std::uint32_t kind = kind_number(inner);
  if (kind == element_kind::undefined && !elements.empty()) kind = kind_number(elements.front());
  writer.put_varint(sequence_field::elem_type, kind);
  // The list fields are numbered in the order of the kinds, which start at 1.
  const std::uint32_t field = kind + (std::uint32_t{sequence_field::tensor_values} - 1);
  for (const RunValue& element : elements) {
    writer.begin_message(field);
    put_value(writer, element, inner, {});
    writer.end_message();
  }
}

/// One element as a scalar.
Tensor element_of(const Tensor& tensor, std::int64_t index) {
  if (tensor.type() == DataType::string) {
    return Tensor::of_strings(Shape{}, {tensor.strings()[static_cast<std::size_t>(index)]});
  }
  Tensor result(tensor.type(), Shape{});
  if (is_floating_point(tensor.type())) {
    set_element(result, 0, element_as_double(tensor, index));
  } else {
    set_element(result, 0, element_as_int64(tensor, index));
  }
  return result;
}

void put_map(WireWriter& writer, const RunValue& map, std::string_view name) {
  if (!name.empty()) writer.put_bytes(map_field::name, name);
  const Tensor& keys = map.keys();
  writer.put_varint(map_field::key_type, static_cast<std::int64_t>(keys.type()));
  for (std::int64_t i = 0; i < keys.element_count(); ++i) {
    if (keys.type() == DataType::string) {
      writer.put_bytes(map_field::string_keys, keys.strings()[static_cast<std::size_t>(i)]);
    } else {
      writer.put_varint(map_field::keys, element_as_int64(keys, i));
    }
  }
  writer.begin_message(map_field::values);
  writer.put_varint(sequence_field::elem_type, element_kind::tensor);
  for (std::int64_t i = 0; i < keys.element_count(); ++i) {
    // Small, so the writer copies it.
    writer.begin_message(sequence_field::tensor_values);
    put_tensor(writer, element_of(map.map_values(), i), {});
    writer.end_message();
  }
  writer.end_message();
}

void put_optional(WireWriter& writer, const RunValue& value, const ValueType& type,
                  std::string_view name) {
  if (!name.empty()) writer.put_bytes(optional_field::name, name);
  const ValueType& inner = inner_of(type);
  std::uint32_t kind = kind_number(inner);
  if (kind == element_kind::undefined && !value.is_none()) kind = kind_number(value);
  writer.put_varint(optional_field::elem_type, kind);
  if (value.is_none()) return;
  writer.begin_message(kind + (std::uint32_t{optional_field::tensor_value} - 1));
  put_value(writer, value, inner, {});
  writer.end_message();
}

void put_value(WireWriter& writer, const RunValue& value, const ValueType& type,
               std::string_view name) {
  if (type.kind == ValueType::Kind::optional) return put_optional(writer, value, type, name);
  switch (value.kind()) {
    case RunValue::Kind::tensor:
      return put_tensor(writer, value.tensor(), name);
    case RunValue::Kind::sequence:
      return put_sequence(writer, value.elements(), type, name);
    case RunValue::Kind::map:
      return put_map(writer, value, name);
    case RunValue::Kind::none:
      return put_optional(writer, value, type, name);
  }
}

}  // namespace
}  // namespace onnx

std::string value_message(const std::string& name, const RunValue& value, const ValueType& type) {
  onnx::WireWriter writer;
  onnx::put_value(writer, value, type, name);
  std::string text;
  writer.each_piece([&](std::span<const std::byte> piece, bool) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return text;
}

void save_value(const std::string& path, const std::string& name, const RunValue& value,
                const ValueType& type) {
  onnx::WireWriter writer;
  onnx::put_value(writer, value, type, name);
  AtomicFile file(path);
  writer.each_piece([&](std::span<const std::byte> piece, bool) { file.write(piece); });
  file.commit();
}

}  // namespace ortool
