// Decides whether float sums of an int8 convolution are exact, from its weights and scales.
#include "kernels/cpu/conv/int8_nchw/exact_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ortool::cpu {
namespace {

/// Powers of two whose products and quotients are normal floats.
bool is_moderate_power(float scale) {
  constexpr int most = 30;
  int exponent = 0;
  return std::frexp(scale, &exponent) == 0.5F && std::abs(exponent) <= most;
}

}  // namespace

bool has_exact_sums(std::int64_t channels, std::int64_t depth, const std::uint8_t* weights,
                    std::uint8_t weight_flip, const Int8ConvFloats& floats, std::int32_t image_zero,
                    const std::int32_t* biases) {
  if (!is_moderate_power(floats.image_scale) || !is_moderate_power(floats.out_scale)) return false;
  constexpr std::int64_t max_exact = std::int64_t{1} << 24U;
  const std::int64_t max_pixel = std::max(std::abs(image_zero), std::abs(255 - image_zero));
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const float weight_scale = floats.weight_scales[channel];
    if (!is_moderate_power(weight_scale)) return false;
    const std::int64_t bias = biases != nullptr ? biases[channel] : 0;
    const double bias_value = static_cast<double>(bias) * floats.image_scale * weight_scale;
    const double float_bias = floats.biases != nullptr ? floats.biases[channel] : 0.0;
    if (bias_value != float_bias) return false;
    std::int64_t most = std::abs(bias);
    const std::uint8_t* row = weights + channel * depth;
    for (std::int64_t i = 0; i < depth; ++i)
      most += max_pixel * std::abs(std::int32_t{static_cast<std::int8_t>(row[i] ^ weight_flip)});
    if (most > max_exact) return false;
  }
  return true;
}

}  // namespace ortool::cpu
