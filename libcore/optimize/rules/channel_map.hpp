// A factor and a term for each channel, and where they are read from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/pattern.hpp"

namespace ortool {

/// y = x * scale + shift, a number of each a channel.
struct ChannelMap {
  std::vector<double> scale;
  std::vector<double> shift;

  /// All numbers are finite.
  bool is_finite() const;
  /// This, then `next` of as many channels.
  ChannelMap then(const ChannelMap& next) const;
};

/// Types whose elements are read and written as doubles: float16, float32 and float64.
bool is_channel_type(DataType type);
std::vector<double> doubles_of(const Tensor& tensor);
Tensor vector_of(DataType type, const std::vector<double>& numbers);

/// How many channels (axis 1) the value has; -1 where that is not known.
std::int64_t channels_of(const Value& value);
/// A number a channel of a value of `rank` axes, from a constant that broadcasts to it.
std::optional<std::vector<double>> channel_numbers(const Value& value, std::int64_t rank,
                                                   std::int64_t channels);
/// What an inference BatchNormalization with constant operands does.
std::optional<ChannelMap> map_of_norm(const Node& norm);
/// `x` plus, minus, times or divided by `operand`.
Pattern with_channel_operand(const Pattern& x, const Pattern& operand);
/// What Mul, Div, Add or Sub with the constant `operand` does to each channel of `image`.
std::optional<ChannelMap> map_of_operand(const Node& node, const Value& operand,
                                         const Value& image);

}  // namespace ortool
