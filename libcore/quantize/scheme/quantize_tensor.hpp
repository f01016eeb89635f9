// Tensor quantization: weights and biases to integers with scales, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// How the clipping range of weights is chosen.
enum class WeightRange {
  whole,      ///< from the minimum to the maximum
  min_error,  ///< the fraction of it with the least squared error, at least a third
};

struct WeightOptions {
  QuantizationType type{DataType::int8, true, false};
  /// The axis of per-channel scales; nothing: one scale per tensor.
  std::optional<std::int64_t> axis;
  WeightRange range = WeightRange::whole;
};

/// Quantized weights with their parameters, as QuantizeLinear and DequantizeLinear take them.
struct QuantizedData {
  Tensor data;         ///< the original's shape, of the quantized type
  Tensor scales;       ///< float32: a scalar, or one per index of `axis`
  Tensor zero_points;  ///< shaped like `scales`, of the quantized type
  std::optional<std::int64_t> axis;
};

/// Scales for weights of any float type, one or one per index of options.axis. Throws
/// ErrorCode::invalid for NaN, infinities, and an axis outside the rank.
std::vector<Scale> choose_weight_scales(const Tensor& weights, const WeightOptions& options);

/// Quantizes weights of any float type, rounding half to even. Throws as choose_weight_scales().
QuantizedData quantize_weights(const Tensor& weights, const WeightOptions& options,
                               MemoryCap* cap = nullptr);

/// The same with given scales: one, or one per index of `axis`.
QuantizedData quantize_with(const Tensor& weights, std::span<const Scale> scales,
                            std::optional<std::int64_t> axis, QuantizationType type,
                            MemoryCap* cap = nullptr);

/// The dequantized weights in float32, as DequantizeLinear computes them.
Tensor dequantize(const QuantizedData& quantized, MemoryCap* cap = nullptr);

/// The scales of an int32 bias: input_scale times each weight scale, in float32, shaped like the
/// weight scales; never below the smallest normal number.
Tensor bias_scales(float input_scale, const Tensor& weight_scales);

/// Quantizes a bias of any float type, one element per output channel, to int32 by bias_scales().
/// Values out of range saturate: see widen_for_bias(). Throws ErrorCode::invalid for NaN and
/// infinities, and for mismatched sizes.
Tensor quantize_bias(const Tensor& bias, const Tensor& scales, MemoryCap* cap = nullptr);

/// Increases those weight scales whose bias would overflow int32 (weights that are tiny compared to
/// their bias). Returns how many changed. A single scale accommodates every element.
std::int64_t widen_for_bias(std::span<Scale> weight_scales, float input_scale, const Tensor& bias);

}  // namespace ortool
