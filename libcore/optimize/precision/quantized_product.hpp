// Weights and biases of products between bytes, as kernels of integers take them.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/optimize/precision/quantized_boundary.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Products of bytes that are sure to fit int32 together with a bias of half its range.
inline constexpr std::int64_t most_byte_products = (1 << 30) / (255 * 255);

/// Weights of channels, the scale and zero point of each or of all.
struct QuantizedWeights {
  Quantization by;
  std::int64_t channels = 0;

  /// The bytes; in a body they may be those of a graph around it.
  const Tensor& bytes() const;
  /// Whether sums over all but the channels fit.
  bool has_safe_sums() const;
};

/// Constant weights of bytes, of `least_rank` or more, quantised along `axis` where there is more
/// than one scale.
std::optional<QuantizedWeights> quantized_weights(const Value* value, std::int64_t axis,
                                                  std::int64_t least_rank);

/// A bias of a number a channel.
struct ProductBias {
  Tensor units;   ///< int32, in the product of the scales of input and weights
  Tensor floats;  ///< float32
};

/// `factor` times a constant bias of floats or of levels, one number a channel or one for all.
/// Nothing when it is computed, has another shape, or half of int32 does not hold it.
std::optional<ProductBias> product_bias(const Value* bias, float factor, const Quantization& input,
                                        const QuantizedWeights& weights);

/// A matrix of bytes with rows for columns.
Tensor transposed_bytes(const Tensor& matrix, MemoryCap* cap = nullptr);

}  // namespace ortool
