// Quantized products: per-channel or per-tensor scales; biases in the scale of the sums.
#include "libcore/optimize/precision/quantized_product.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/file/file.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

const Tensor& QuantizedWeights::bytes() const {
  return *constant_of(*by.bytes);
}

bool QuantizedWeights::has_safe_sums() const {
  return bytes().element_count() / channels <= max_int8_products;
}

std::optional<QuantizedWeights> quantized_weights(const Value* value, std::int64_t axis,
                                                  std::int64_t min_rank) {
  const std::optional<Quantization> by = dequantized(value);
  if (!by || by->type == DataType::int32) return std::nullopt;
  const Tensor* bytes = constant_of(*by->bytes);
  if (bytes == nullptr || bytes->shape().rank() < min_rank) return std::nullopt;
  const std::int64_t channels = bytes->shape()[axis];
  if (channels <= 0) return std::nullopt;
  const bool has_list = !by->is_single();
  if (has_list && (by->axis != axis || by->scales().element_count() != channels))
    return std::nullopt;
  return QuantizedWeights{*by, channels};
}

std::optional<ProductBias> product_bias(const Value* bias, const Quantization& input,
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
    result.floats.mutable_data<float>()[static_cast<std::size_t>(i)] = rounded;
    const double unit =
        static_cast<double>(input.scale_at(0)) * static_cast<double>(weights.by.scale_at(i));
    const double whole = std::nearbyint(value / unit);
    constexpr double most = 1 << 30;
    if (!(std::abs(whole) <= most)) return std::nullopt;
    result.units.mutable_data<std::int32_t>()[static_cast<std::size_t>(i)] =
        static_cast<std::int32_t>(whole);
  }
  return result;
}

namespace {

/// Nothing, with the reason in `why`.
std::nullopt_t refuse(std::string* why, const char* reason) {
  if (why != nullptr) *why = reason;
  return std::nullopt;
}

/// Whether scales are per column of a matrix, or per tensor.
bool goes_by_columns(const Quantization& by, const Node& product) {
  if (by.is_single()) return true;
  if (product.op_type() == "Gemm") return by.axis == (read_op<Gemm>(product).transpose_b ? 0 : 1);
  const Tensor* matrix = constant_of(*by.bytes);
  return matrix != nullptr && matrix->shape().rank() == 2 && by.axis == 1;
}

/// The number of products per sum, if known.
std::optional<std::int64_t> products_of(const Value& b, bool is_transposed) {
  const Dimensions* sizes = dimensions_of(b);
  if (sizes == nullptr || sizes->empty()) return std::nullopt;
  const bool is_last = is_transposed || sizes->size() == 1;
  const Dimension& size = (*sizes)[sizes->size() - (is_last ? 1 : 2)];
  return size.is_known() ? std::optional(size.number()) : std::nullopt;
}

}  // namespace

std::optional<QuantizedConvOperands> quantized_conv(const Node& conv, std::string* why) {
  const std::optional<Quantization> image = dequantized_bytes(conv.input(0));
  if (!image) return refuse(why, "its input is not dequantized from 8 bits by one scale");
  const std::optional<QuantizedWeights> weights = quantized_weights(conv.input(1), 0, 3);
  if (!weights)
    return refuse(
        why, "its weights are not dequantized from constant 8-bit values by one scale per channel");
  if (!weights->has_safe_sums()) return refuse(why, "its sums may overflow 32 bits");
  QuantizedConvOperands operands{*image, *weights, std::nullopt};
  if (conv.input(2) == nullptr) return operands;
  operands.bias = product_bias(conv.input(2), *image, *weights);
  if (!operands.bias) return refuse(why, "its bias is computed or does not fit into 32 bits");
  return operands;
}

const Tensor* QuantizedFactors::safe_matrix() const {
  const Tensor* matrix = constant_of(*b.bytes);
  const bool is_safe = matrix != nullptr && matrix->shape().rank() == 2 &&
                       matrix->element_count() > 0 && depth && *depth <= max_int8_products;
  return is_safe ? matrix : nullptr;
}

std::optional<QuantizedFactors> quantized_factors(const Node& product, std::string* why) {
  const std::optional<Quantization> a = dequantized_bytes(product.input(0));
  if (!a) return refuse(why, "its left operand is not dequantized from 8 bits by one scale");
  const std::optional<Quantization> b = dequantized(product.input(1));
  if (!b || !is_8bit_type(b->type) || !goes_by_columns(*b, product))
    return refuse(
        why, "its right operand is not dequantized from 8 bits by one scale or one per column");
  const bool is_transposed = product.op_type() == "Gemm" && read_op<Gemm>(product).transpose_b;
  return QuantizedFactors{*a, *b, products_of(*b->bytes, is_transposed)};
}

Tensor transposed_bytes(const Tensor& matrix, MemoryCap* cap) {
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  Tensor result(matrix.type(), Shape({columns, rows}), cap);
  const std::byte* const from = matrix.bytes();
  std::byte* const to = result.mutable_bytes();
  // Rows of a cache line each, and pages of a file go as they are read.
  constexpr std::int64_t line = 64;
  constexpr std::int64_t piece_bytes = 256 * 1024;
  std::int64_t kept = 0;
  for (std::int64_t first = 0; first < rows; first += line) {
    const std::int64_t end = std::min(first + line, rows);
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t row = first; row < end; ++row)
        to[column * rows + row] = from[row * columns + column];
    }
    if ((end - kept) * columns < piece_bytes) continue;
    drop_pages({from + kept * columns, static_cast<std::size_t>((end - kept) * columns)});
    kept = end;
  }
  return result;
}

}  // namespace ortool
