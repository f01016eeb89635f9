// Int8 NCHW convolutions of one channel: sums are exact everywhere, also at the edges.
#include "kernels/cpu/conv/int8_nchw/conv.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

struct SingleChannel {
  ConvSizes sizes;
  Int8ConvDesc desc;
  std::vector<std::uint8_t> image;
  std::vector<std::uint8_t> weights;
  std::vector<std::int32_t> weight_zeros;
  std::int32_t image_zero = 0;

  std::int64_t kernel() const { return sizes.kernel[1] * sizes.kernel[2]; }
  std::int64_t pixels() const { return sizes.out[1] * sizes.out[2]; }

  std::int32_t pixel(std::int64_t image_number, std::int64_t row, std::int64_t column) const {
    if (row < 0 || row >= sizes.in[1] || column < 0 || column >= sizes.in[2]) return 0;
    const std::int64_t at = (image_number * sizes.in[1] + row) * sizes.in[2] + column;
    return (image[static_cast<std::size_t>(at)] ^ desc.image_flip) - image_zero;
  }
  std::int32_t weight(std::int64_t channel, std::int64_t tap) const {
    const std::uint8_t byte = weights[static_cast<std::size_t>(channel * kernel() + tap)];
    return static_cast<std::int8_t>(byte ^ desc.weight_flip) -
           weight_zeros[static_cast<std::size_t>(channel)];
  }
  std::int32_t sum(std::int64_t image_number, std::int64_t channel, std::int64_t at) const {
    std::int32_t result = 0;
    for (std::int64_t tap = 0; tap < kernel(); ++tap) {
      const std::int64_t row = at / sizes.out[2] * sizes.stride[1] - sizes.pad[1] +
                               tap / sizes.kernel[2] * sizes.dilation[1];
      const std::int64_t column = at % sizes.out[2] * sizes.stride[2] - sizes.pad[2] +
                                  tap % sizes.kernel[2] * sizes.dilation[2];
      result += pixel(image_number, row, column) * weight(channel, tap);
    }
    return result;
  }
};

std::vector<std::uint8_t> some_bytes(test::RandomValues& numbers, std::int64_t count) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers.between(0, 255));
  return bytes;
}

SingleChannel some_convolution(test::RandomValues& numbers) {
  SingleChannel conv;
  ConvSizes& sizes = conv.sizes;
  sizes.batch = numbers.between(1, 2);
  sizes.channels_in = sizes.groups = 1;
  sizes.channels_out = numbers.between(1, 20);
  const bool is_signal = numbers.flip();
  for (int axis = 1; axis < 3; ++axis) {
    const bool is_long = is_signal && axis == 2;
    sizes.kernel[axis] = is_signal && axis == 1 ? 1 : numbers.between(1, is_long ? 40 : 7);
    sizes.stride[axis] = numbers.between(1, 3);
    sizes.dilation[axis] = numbers.between(1, 2);
    sizes.in[axis] = is_signal && axis == 1 ? 1 : numbers.between(1, is_long ? 200 : 20);
    const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
    sizes.pad[axis] = numbers.between(0, reach - 1);
    const std::int64_t padded = std::max(reach, sizes.in[axis] + 2 * sizes.pad[axis]);
    sizes.out[axis] = (padded - reach) / sizes.stride[axis] + 1;
  }
  conv.desc = {static_cast<std::uint8_t>(numbers.flip() ? 128 : 0),
               static_cast<std::uint8_t>(numbers.flip() ? 128 : 0)};
  conv.image_zero = static_cast<std::int32_t>(numbers.between(0, 255));
  conv.image = some_bytes(numbers, sizes.batch * sizes.in[1] * sizes.in[2]);
  conv.weights = some_bytes(numbers, sizes.channels_out * conv.kernel());
  const bool has_zeros = numbers.flip();
  for (std::int64_t i = 0; i < sizes.channels_out; ++i)
    conv.weight_zeros.push_back(has_zeros ? static_cast<std::int32_t>(numbers.between(-20, 20))
                                          : 0);
  return conv;
}

TEST_CASE("convolutions of one channel of bytes are exact on each level", "[conv]") {
  test::RandomValues numbers(11);
  for (int i = 0; i < 300; ++i) {
    const SingleChannel conv = some_convolution(numbers);
    const ConvSizes& sizes = conv.sizes;
    std::vector<std::int32_t> expected;
    for (std::int64_t image = 0; image < sizes.batch; ++image) {
      for (std::int64_t channel = 0; channel < sizes.channels_out; ++channel) {
        for (std::int64_t at = 0; at < conv.pixels(); ++at)
          expected.push_back(conv.sum(image, channel, at));
      }
    }
    for (const Isa isa : test::isas_here()) {
      CAPTURE(isa_name(isa), i, sizes.channels_out, sizes.kernel[1], sizes.kernel[2]);
      AlignedBuffer packed = test::bytes(packed_int8_conv_bytes(sizes, isa));
      std::vector<std::int32_t> sums(static_cast<std::size_t>(sizes.channels_out));
      pack_int8_conv(sizes, conv.weights.data(), conv.desc.weight_flip, isa, packed.data(),
                     sums.data());
      std::vector<std::int32_t> offsets;
      for (std::size_t channel = 0; channel < sums.size(); ++channel) {
        const auto depth = static_cast<std::int32_t>(conv.kernel());
        offsets.push_back(-conv.image_zero * (sums[channel] - depth * conv.weight_zeros[channel]));
      }
      Int8ConvParams given;
      given.image_zero = conv.image_zero;
      const bool has_zeros = conv.weight_zeros != std::vector<std::int32_t>(sums.size(), 0);
      if (has_zeros) given.weight_zeros = conv.weight_zeros.data();
      given.epilogue.output = EpilogueOutput::int32;
      given.epilogue.offsets = offsets.data();
      std::vector<std::int32_t> found(expected.size());
      AlignedBuffer space = test::bytes(int8_conv_workspace_bytes(sizes, isa, 1));
      Workers workers;
      int8_conv(sizes, conv.image.data(), conv.desc, packed.data(), given, found.data(), isa,
                space.data(), workers);
      CHECK(found == expected);
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
