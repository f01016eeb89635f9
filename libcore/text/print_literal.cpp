// Printer for literals: complex elements as two numbers, booleans as 0 and 1.
#include "libcore/text/print_literal.hpp"

#include "libcore/tensor/convert.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {
namespace {

std::string print_dimensions(const PartialShape& shape) {
  if (!shape) return "[]";
  if (shape->empty()) return {};
  std::string text = "[";
  for (const Dimension& dimension : *shape) {
    if (text.size() > 1) text += ", ";
    text += dimension.is_formula() ? name_text(dimension.to_string()) : dimension.to_string();
  }
  return text + "]";
}

std::string print_element(const Tensor& tensor, std::int64_t index) {
  switch (tensor.type()) {
    case DataType::string:
      return quoted_text(tensor.strings()[static_cast<std::size_t>(index)]);
    case DataType::boolean:
      return std::to_string(element_as_int64(tensor, index));
    case DataType::complex64:
    case DataType::complex128: {
      const bool is_double = tensor.type() == DataType::complex128;
      const Tensor parts = Tensor::view(
          is_double ? DataType::float64 : DataType::float32, Shape{2},
          {tensor.bytes() + index * (is_double ? 16 : 8), is_double ? std::size_t{16} : 8},
          nullptr);
      return element_text(parts, 0) + ", " + element_text(parts, 1);
    }
    default:
      return element_text(tensor, index);
  }
}

}  // namespace

std::string print_type(const ValueType& type) {
  const std::string inside = type.inner != nullptr ? print_type(*type.inner) : std::string();
  const std::string element(onnx_name_of(type.element));
  switch (type.kind) {
    case ValueType::Kind::tensor:
      return element + print_dimensions(type.shape);
    case ValueType::Kind::sparse_tensor:
      return "sparse_tensor(" + element + print_dimensions(type.shape) + ")";
    case ValueType::Kind::sequence:
      return "seq(" + inside + ")";
    case ValueType::Kind::optional:
      return "optional(" + inside + ")";
    case ValueType::Kind::map:
      return "map(" + element + ", " + inside + ")";
    default:
      return {};
  }
}

std::string print_float(float value) {
  std::string text = element_text(Tensor::scalar(value), 0);
  if (text.find_first_of(".enf") == std::string::npos) text += ".0";
  return text;
}

std::string print_elements(const Tensor& tensor, const PrintOptions& options) {
  const std::int64_t count = tensor.element_count();
  if (options.max_elements >= 0 && count > options.max_elements) return "{...}";
  std::string text = "{";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += print_element(tensor, i);
  }
  return text + "}";
}

std::string print_tensor(const Tensor& tensor, const PrintOptions& options) {
  return print_type(ValueType::tensor(tensor.type(), to_partial(tensor.shape()))) + " " +
         print_elements(tensor, options);
}

std::string print_sparse_tensor(const SparseTensor& tensor, const PrintOptions& options) {
  return "sparse_tensor(" + std::string(onnx_name_of(tensor.values.type())) +
         print_dimensions(to_partial(tensor.dimensions)) + ") {" +
         print_tensor(tensor.values, options) + ", " + print_tensor(tensor.indices, options) + "}";
}

}  // namespace ortool
