// Per-channel affine map (scale and shift), read from normalizations and elementwise operators.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/optimize/rewrite/pattern.hpp"

namespace ortool {

/// y = x * scale + shift, with one scale and shift per channel.
struct ChannelAffineMap {
  std::vector<double> scale;
  std::vector<double> shift;

  /// Whether all elements are finite.
  bool is_finite() const;
  /// The composition: this map, then `next`, with the same number of channels.
  ChannelAffineMap then(const ChannelAffineMap& next) const;
};

/// Types that are read and written as doubles: float16, float32 and float64.
bool is_channel_type(DataType type);
std::vector<double> doubles_of(const Tensor& tensor);
Tensor vector_of(DataType type, const std::vector<double>& numbers);

/// The number of channels (axis 1) of the value; -1 when unknown.
std::int64_t channels_of(const Value& value);
/// Per-channel values for a value of `rank` axes, from a constant that broadcasts to it.
std::optional<std::vector<double>> channel_numbers(const Value& value, std::int64_t rank,
                                                   std::int64_t channels);
/// The map of an inference BatchNormalization with constant operands.
std::optional<ChannelAffineMap> affine_of_norm(const Node& norm);
/// `x` plus, minus, times or divided by `operand`.
Pattern with_channel_operand(const Pattern& x, const Pattern& operand);
/// The map that Mul, Div, Add or Sub with the constant `operand` applies to each channel of
/// `image`.
std::optional<ChannelAffineMap> affine_of_operand(const Node& node, const Value& operand,
                                                  const Value& image);

}  // namespace ortool
