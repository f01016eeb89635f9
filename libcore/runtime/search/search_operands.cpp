// Reads the operands of generation operators.
#include "libcore/runtime/search/search_operands.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

const Tensor* single_operand(const SearchInputs& inputs, std::size_t input, std::string_view name) {
  const Tensor* tensor = optional_tensor(inputs, input);
  if (tensor == nullptr || tensor->element_count() == 1) return tensor;
  throw Error(ErrorCode::invalid,
              format("'{}' has {} elements (expected one)", name, tensor->element_count()));
}

}  // namespace

const Tensor* optional_tensor(const SearchInputs& inputs, std::size_t input) {
  return inputs.has(input) ? &inputs.context.input(input) : nullptr;
}

std::int64_t integer_operand(const SearchInputs& inputs, std::size_t input, std::string_view name,
                             std::int64_t otherwise) {
  const Tensor* tensor = single_operand(inputs, input, name);
  return tensor != nullptr ? element_as_int64(*tensor, 0) : otherwise;
}

float number_operand(const SearchInputs& inputs, std::size_t input, std::string_view name,
                     float otherwise) {
  const Tensor* tensor = single_operand(inputs, input, name);
  return tensor != nullptr ? static_cast<float>(element_as_double(*tensor, 0)) : otherwise;
}

std::span<const std::int32_t> mask_operand(const SearchInputs& inputs, std::size_t input,
                                           std::string_view name, std::int64_t rows,
                                           std::int64_t width) {
  const Tensor* tensor = optional_tensor(inputs, input);
  if (tensor == nullptr) return {};
  const Shape expected = rows == 0 ? Shape{width} : Shape{rows, width};
  if (tensor->shape() == expected) return tensor->data<std::int32_t>();
  throw Error(ErrorCode::invalid, format("'{}' has the shape {} (expected {})", name,
                                         tensor->shape().to_string(), expected.to_string()));
}

std::int64_t max_length_operand(const SearchInputs& inputs, std::int64_t prompt) {
  const std::int64_t length = integer_operand(inputs, 1, "max_length", prompt);
  if (length > prompt) return length;
  throw Error(ErrorCode::invalid, format("'max_length' is {} (expected above {}, the number of "
                                         "tokens at the start)",
                                         length, prompt));
}

Tensor last_scores(const Tensor& logits, std::int64_t rows, std::int64_t vocabulary,
                   MemoryCap* cap) {
  const Shape& shape = logits.shape();
  const std::int64_t beams = rows / std::max<std::int64_t>(shape[0], 1);
  Tensor scores(DataType::float32, Shape{rows, vocabulary}, cap);
  const float* from = logits.data<float>().data();
  float* to = scores.mutable_data<float>().data();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t last = (row / beams + 1) * shape[1] - 1;
    to = std::copy_n(from + last * shape[2], vocabulary, to);
  }
  return scores;
}

}  // namespace ortool
