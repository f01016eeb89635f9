// Quantized products: per-channel or per-tensor scales; biases in the scale of the sums.
#include "libcore/optimize/precision/quantized_product.hpp"

#include <cmath>

#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

const Tensor& QuantizedWeights::bytes() const {
  return *constant_of(*by.bytes);
}

bool QuantizedWeights::has_safe_sums() const {
  return bytes().element_count() / channels <= most_byte_products;
}

std::optional<QuantizedWeights> quantized_weights(const Value* value, std::int64_t axis,
                                                  std::int64_t least_rank) {
  const std::optional<Quantization> by = dequantized(value);
  if (!by || by->type == DataType::int32) return std::nullopt;
  const Tensor* bytes = constant_of(*by->bytes);
  if (bytes == nullptr || bytes->shape().rank() < least_rank) return std::nullopt;
  const std::int64_t channels = bytes->shape()[axis];
  if (channels <= 0) return std::nullopt;
  const bool has_list = !by->is_single();
  if (has_list && (by->axis != axis || by->scales().element_count() != channels))
    return std::nullopt;
  return QuantizedWeights{*by, channels};
}

std::optional<ProductBias> product_bias(const Value* bias, float factor, const Quantization& input,
                                        const QuantizedWeights& weights) {
  const std::optional<Quantization> by = dequantized(bias);
  const Tensor* numbers = constant_of(by ? *by->bytes : *bias);
  if (numbers == nullptr) return std::nullopt;
  const Tensor& given = *numbers;
  if (!by && given.type() != DataType::float32) return std::nullopt;
  const std::int64_t count = given.element_count();
  // One per channel, or one for all; a matrix of one row counts as a vector.
  if (count != weights.channels && count != 1) return std::nullopt;
  if (given.shape().rank() > 0 && given.shape()[given.shape().rank() - 1] != count)
    return std::nullopt;
  ProductBias result{Tensor(DataType::int32, Shape({weights.channels})),
                     Tensor(DataType::float32, Shape({weights.channels}))};
  for (std::int64_t i = 0; i < weights.channels; ++i) {
    const std::int64_t at = count == 1 ? 0 : i;
    double value = element_as_double(given, at);
    float rounded = static_cast<float>(value);
    if (by) {
      value -= static_cast<double>(by->zero_at(at));
      rounded = static_cast<float>(value) * by->scale_at(at);
      value *= static_cast<double>(by->scale_at(at));
    }
    result.floats.mutable_data<float>()[static_cast<std::size_t>(i)] = factor * rounded;
    const double unit =
        static_cast<double>(input.scale_at(0)) * static_cast<double>(weights.by.scale_at(i));
    const double whole = std::nearbyint(value * static_cast<double>(factor) / unit);
    constexpr double most = 1 << 30;
    if (!(std::abs(whole) <= most)) return std::nullopt;
    result.units.mutable_data<std::int32_t>()[static_cast<std::size_t>(i)] =
        static_cast<std::int32_t>(whole);
  }
  return result;
}

Tensor transposed_bytes(const Tensor& matrix, MemoryCap* cap) {
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  Tensor result(matrix.type(), Shape({columns, rows}), cap);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column)
      result.mutable_bytes()[column * rows + row] = matrix.bytes()[row * columns + column];
  }
  return result;
}

}  // namespace ortool
