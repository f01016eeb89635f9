// Weights and biases as whole numbers with their scales, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Which part of the weights' range the levels cover.
enum class WeightRange {
  whole,        ///< from the least to the greatest
  least_error,  ///< the share of it with the least squared error, at least a third
};

struct WeightOptions {
  QuantizationType type{DataType::int8, true, false};
  /// The axis that has a scale an index; nothing: one scale for all.
  std::optional<std::int64_t> axis;
  WeightRange range = WeightRange::whole;
};

/// Levels with what they stand for, as QuantizeLinear and DequantizeLinear take them.
struct WeightLevels {
  Tensor data;         ///< the shape of the original, of the quantised type
  Tensor scales;       ///< float32: a scalar, or one an index of `axis`
  Tensor zero_points;  ///< shaped like `scales`, of the quantised type
  std::optional<std::int64_t> axis;
};

/// Scales for weights of any float type, one or one an index of options.axis. Throws
/// ErrorCode::invalid for NaN, infinities, and an axis outside the rank.
std::vector<Scale> choose_weight_scales(const Tensor& weights, const WeightOptions& options);

/// Weights of any float type as levels: those nearest, half to even. Throws as
/// choose_weight_scales().
WeightLevels quantize_weights(const Tensor& weights, const WeightOptions& options,
                              MemoryCap* cap = nullptr);

/// The same by scales that are given: one, or one an index of `axis`.
WeightLevels quantize_with(const Tensor& weights, std::span<const Scale> scales,
                           std::optional<std::int64_t> axis, QuantizationType type,
                           MemoryCap* cap = nullptr);

/// What the levels stand for, in float32, as DequantizeLinear computes it.
Tensor dequantize(const WeightLevels& quantized, MemoryCap* cap = nullptr);

/// The scales of a bias that is added to integer products: input_scale times each of the weights'
/// scales, in float32, shaped like them; never below the smallest normal number.
Tensor bias_scales(float input_scale, const Tensor& weight_scales);

/// A bias of any float type with one element an output channel as int32, by bias_scales(). What is
/// too large becomes the nearest end: see widen_for_bias(). Throws ErrorCode::invalid for NaN and
/// infinities, and for counts that do not fit.
Tensor quantize_bias(const Tensor& bias, const Tensor& scales, MemoryCap* cap = nullptr);

/// Makes those of the weights' scales larger whose bias would leave int32 (weights that are nearly
/// nothing beside their bias). Returns how many changed. One scale for all serves every element.
std::int64_t widen_for_bias(std::span<Scale> weight_scales, float input_scale, const Tensor& bias);

}  // namespace ortool
