// Reads SequenceProto, MapProto and OptionalProto into values that share the file's bytes.
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/read_tensor.hpp"
#include "libcore/onnx/value_file.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace onnx {
namespace {

/// Memory of a sequence element besides its tensor.
constexpr std::int64_t sequence_element_bytes = sizeof(RunValue);

class ValueReader {
 public:
  explicit ValueReader(LoadContext& context) : context_(context) {}

  RunValue tensor(Message message, std::string* name) {
    NamedTensor read = read_tensor(context_, message);
    if (name != nullptr) *name = read.name;
    return std::move(read.tensor);
  }
  RunValue sparse(Message message) {
    return to_dense(context_, read_sparse_tensor(context_, message));
  }
  RunValue sequence(Message message, std::string* name);
  RunValue map(Message message, std::string* name);
  RunValue optional(Message message, std::string* name);

 private:
  LoadContext& context_;
};

RunValue ValueReader::sequence(Message message, std::string* name) {
  WireReader reader(context_.source, message, sequence_table);
  std::vector<RunValue> elements;
  while (reader.next()) {
    switch (reader.number()) {
      case sequence_field::name:
        if (name != nullptr) *name = reader.text();
        continue;
      case sequence_field::elem_type:
        continue;
      case sequence_field::tensor_values:
        elements.push_back(tensor(reader.message(), nullptr));
        break;
      case sequence_field::sparse_tensor_values:
        elements.push_back(sparse(reader.message()));
        break;
      case sequence_field::sequence_values:
        elements.push_back(sequence(reader.message(), nullptr));
        break;
      case sequence_field::map_values:
        elements.push_back(map(reader.message(), nullptr));
        break;
      default:
        elements.push_back(optional(reader.message(), nullptr));
    }
    context_.budget.take_bytes(sequence_element_bytes, "elements of a sequence");
  }
  return RunValue::sequence(std::move(elements));
}

/// Joins the scalar values of a map to one tensor.
Tensor joined(std::span<const RunValue> values) {
  if (values.empty()) return Tensor(DataType::float32, Shape{0});
  const DataType type = values.front().tensor().type();
  const auto count = static_cast<std::int64_t>(values.size());
  Tensor result(type, Shape{count});
  for (std::int64_t i = 0; i < count; ++i) {
    const Tensor& value = values[static_cast<std::size_t>(i)].tensor();
    if (value.type() != type || value.element_count() != 1) {
      throw Error(ErrorCode::unsupported,
                  format("a map holds a {}[{}] (expected single elements of one type)",
                         name_of(value.type()), value.shape().to_string()));
    }
    if (type == DataType::string) {
      result.mutable_strings()[static_cast<std::size_t>(i)] = value.strings().front();
    } else if (!is_arithmetic(type)) {
      throw Error(ErrorCode::unsupported, format("maps to {} are not supported", name_of(type)));
    } else if (is_integer(type) || type == DataType::boolean) {
      set_element(result, i, element_as_int64(value, 0));
    } else {
      set_element(result, i, element_as_double(value, 0));
    }
  }
  return result;
}

RunValue ValueReader::map(Message message, std::string* name) {
  WireReader reader(context_.source, message, map_table);
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  RunValue values = RunValue::sequence({});
  while (reader.next()) {
    switch (reader.number()) {
      case map_field::name:
        if (name != nullptr) *name = reader.text();
        break;
      case map_field::keys:
        context_.budget.take_bytes(reader.count_numbers() * 8, "keys of a map");
        reader.each_number(
            [&](std::uint64_t bits) { numbers.push_back(static_cast<std::int64_t>(bits)); });
        break;
      case map_field::string_keys:
        context_.budget.take_bytes(static_cast<std::int64_t>(sizeof(std::string)), "keys of a map");
        texts.emplace_back(reader.text());
        break;
      case map_field::values:
        values = sequence(reader.message(), nullptr);
        break;
      default:
        break;
    }
  }
  if (!numbers.empty() && !texts.empty()) {
    throw Error(ErrorCode::invalid, "a map has both numbers and strings as keys");
  }
  const std::size_t count = numbers.size() + texts.size();
  if (count != values.elements().size()) {
    throw Error(ErrorCode::invalid,
                format("a map has {} keys for {} values", count, values.elements().size()));
  }
  const Shape shape{static_cast<std::int64_t>(count)};
  Tensor keys = texts.empty() ? Tensor::of<std::int64_t>(shape, numbers)
                              : Tensor::of_strings(shape, std::move(texts));
  return RunValue::map(std::move(keys), joined(values.elements()));
}

RunValue ValueReader::optional(Message message, std::string* name) {
  WireReader reader(context_.source, message, optional_table);
  RunValue value;
  while (reader.next()) {
    switch (reader.number()) {
      case optional_field::name:
        if (name != nullptr) *name = reader.text();
        break;
      case optional_field::tensor_value:
        value = tensor(reader.message(), nullptr);
        break;
      case optional_field::sparse_tensor_value:
        value = sparse(reader.message());
        break;
      case optional_field::sequence_value:
        value = sequence(reader.message(), nullptr);
        break;
      case optional_field::map_value:
        value = map(reader.message(), nullptr);
        break;
      case optional_field::optional_value:
        value = optional(reader.message(), nullptr);
        break;
      default:
        break;
    }
  }
  return value;
}

}  // namespace
}  // namespace onnx

RunValue read_value(const ValueFileBytes& file, const ValueType& type, std::string* name) {
  onnx::LoadContext context(file.bytes, file.owner, file.directory, {});
  onnx::ValueReader reader(context);
  const onnx::Message message{file.bytes, 0};
  switch (type.kind) {
    case ValueType::Kind::sequence:
      return reader.sequence(message, name);
    case ValueType::Kind::map:
      return reader.map(message, name);
    case ValueType::Kind::optional:
      return reader.optional(message, name);
    case ValueType::Kind::sparse_tensor:
      return reader.sparse(message);
    default:
      return reader.tensor(message, name);
  }
}

RunValue load_value(const std::string& path, const ValueType& type, std::string* name) {
  const MappedFile file = MappedFile::open(path);
  const std::size_t slash = path.rfind('/');
  const std::string directory =
      slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
  try {
    return read_value({file.bytes(), file.owner(), directory}, type, name);
  } catch (Error& error) {
    throw error.in(path);
  }
}

}  // namespace ortool
