// One output pixel at a time: few are in doubt.
#include "kernels/cpu/conv_bytes_settle.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/conv_paths.hpp"

namespace ortool::cpu {
namespace {

/// NaN becomes the lower bound.
float clamped(float number, const ByteRange& range) {
  if (!(number >= range.low)) return range.low;
  return number > range.high ? range.high : number;
}

/// The nearest whole number of one below 2^22, halves to even: floats from 2^23 to 2^24 are whole.
float nearest(float number) {
  constexpr float whole = 0x1.8p23F;
  return (number + whole) - whole;
}

}  // namespace

void ByteConvSettler::requantize(const ByteRowFunctions& functions, std::int64_t image,
                                 std::int64_t channel, std::int64_t first, std::int64_t count,
                                 const std::int32_t* sums, std::int32_t offset,
                                 std::uint8_t* out) const {
  // Few pieces of so many have a byte to settle.
  constexpr std::int64_t most_pixels = 64;
  const std::int64_t piece = numbers_.floats != nullptr ? most_pixels : count;
  for (std::int64_t begin = 0; begin < count; begin += piece) {
    const std::int64_t pixels = std::min(piece, count - begin);
    if (functions.requantize(sums + begin, pixels, offset, numbers_.scales[channel], numbers_.range,
                             out + begin) &&
        numbers_.floats != nullptr)
      settle(image, channel, first + begin, pixels, sums + begin, offset, out + begin);
  }
}

void ByteConvSettler::settle(std::int64_t image, std::int64_t channel, std::int64_t first,
                             std::int64_t count, const std::int32_t* sums, std::int32_t offset,
                             std::uint8_t* out) const {
  const float scale = numbers_.scales[channel];
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                               static_cast<std::uint32_t>(offset));
    const float number = clamped(static_cast<float>(sum) * scale, numbers_.range);
    if (std::abs(number - nearest(number)) <= 0.5F - half_margin) continue;
    const float exact = convolve(image, channel, first + i) / numbers_.floats->out_scale;
    const auto whole = static_cast<std::int32_t>(nearest(clamped(exact, numbers_.range)));
    out[i] = static_cast<std::uint8_t>(whole + numbers_.range.zero_point);
  }
}

float ByteConvSettler::convolve(std::int64_t image, std::int64_t channel,
                                std::int64_t pixel) const {
  const ByteConvFloats& floats = *numbers_.floats;
  const std::int64_t channels = sizes_.channels_in / sizes_.groups;
  const std::int64_t group = channel / (sizes_.channels_out / sizes_.groups);
  const std::int64_t depth = pixel / (sizes_.out[1] * sizes_.out[2]);
  const std::int64_t row = pixel / sizes_.out[2] % sizes_.out[1];
  const std::int64_t column = pixel % sizes_.out[2];
  const std::int64_t at[3] = {depth * sizes_.stride[0] - sizes_.pad[0],
                              row * sizes_.stride[1] - sizes_.pad[1],
                              column * sizes_.stride[2] - sizes_.pad[2]};
  const std::int32_t weight_zero =
      numbers_.weight_zeros != nullptr ? numbers_.weight_zeros[channel] : 0;
  const float weight_scale = floats.weight_scales[channel];
  const std::uint8_t* plane =
      x_ + (image * sizes_.channels_in + group * channels) * volume(sizes_.in);
  const std::uint8_t* weight = floats.weights + channel * channels * volume(sizes_.kernel);
  float sum = 0.0F;
  const auto add = [&](std::uint8_t pixel_byte, std::uint8_t weight_byte) {
    const std::int32_t x = (pixel_byte ^ form_.image_flip) - numbers_.image_zero;
    const std::int32_t w = static_cast<std::int8_t>(weight_byte ^ form_.weight_flip) - weight_zero;
    // The product of two floats is exact in a double.
    sum = static_cast<float>(static_cast<double>(static_cast<float>(x) * floats.image_scale) *
                                 static_cast<double>(static_cast<float>(w) * weight_scale) +
                             static_cast<double>(sum));
  };
  for (std::int64_t i = 0; i < channels; ++i, plane += volume(sizes_.in)) {
    for (std::int64_t kd = 0; kd < sizes_.kernel[0]; ++kd) {
      const std::int64_t z = at[0] + kd * sizes_.dilation[0];
      for (std::int64_t kh = 0; kh < sizes_.kernel[1]; ++kh) {
        const std::int64_t y = at[1] + kh * sizes_.dilation[1];
        const bool is_inside = z >= 0 && z < sizes_.in[0] && y >= 0 && y < sizes_.in[1];
        for (std::int64_t kw = 0; kw < sizes_.kernel[2]; ++kw, ++weight) {
          const std::int64_t x = at[2] + kw * sizes_.dilation[2];
          if (is_inside && x >= 0 && x < sizes_.in[2])
            add(plane[(z * sizes_.in[1] + y) * sizes_.in[2] + x], *weight);
        }
      }
    }
  }
  return floats.biases != nullptr ? sum + floats.biases[channel] : sum;
}

}  // namespace ortool::cpu
