// Quantized products: integer weights and biases as int8 kernels take them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcore/optimize/precision/quantized_boundary.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The number of int8 products whose sum, together with a bias of half the range, always fits into
/// int32.
inline constexpr std::int64_t max_int8_products = (1 << 30) / (255 * 255);

/// Per-channel weights, with a scale and zero point per channel or for all.
struct QuantizedWeights {
  Quantization by;
  std::int64_t channels = 0;

  /// The int8 data; in a body they may belong to an enclosing graph.
  const Tensor& bytes() const;
  /// Whether sums over all axes but the channels cannot overflow.
  bool has_safe_sums() const;
};

/// Constant int8 or uint8 weights of at least `min_rank`, quantized along `axis` if there is more
/// than one scale.
std::optional<QuantizedWeights> quantized_weights(const Value* value, std::int64_t axis,
                                                  std::int64_t min_rank);

/// A bias with one element per channel.
struct ProductBias {
  Tensor units;   ///< int32, scaled by the product of input and weight scales
  Tensor floats;  ///< float32
};

/// A constant bias, float or quantized, with one element per channel or one for all.
/// Nothing when it is computed, has another shape, or exceeds half of int32's range.
std::optional<ProductBias> product_bias(const Value* bias, const Quantization& input,
                                        const QuantizedWeights& weights);

/// Operands of a Conv of a dequantized image by dequantized constant weights, with sums that fit
/// int32.
struct QuantizedConvOperands {
  Quantization image;
  QuantizedWeights weights;
  std::optional<ProductBias> bias;  ///< nothing: no bias
};

/// Matches a quantized Conv; otherwise nothing, with the reason in `why` (may be null).
std::optional<QuantizedConvOperands> quantized_conv(const Node& conv, std::string* why = nullptr);

/// Operands of a MatMul or Gemm that are both dequantized: the left one per tensor, the right one
/// per tensor or per column.
struct QuantizedFactors {
  Quantization a;
  Quantization b;
  std::optional<std::int64_t> depth;  ///< products per sum, if known

  /// The right operand if it is a constant matrix and sums fit int32; otherwise null.
  const Tensor* safe_matrix() const;
};

/// Matches a quantized MatMul or Gemm, as quantized_conv does.
std::optional<QuantizedFactors> quantized_factors(const Node& product, std::string* why = nullptr);

/// The transpose of an int8 matrix.
Tensor transposed_bytes(const Tensor& matrix, MemoryCap* cap = nullptr);

}  // namespace ortool
