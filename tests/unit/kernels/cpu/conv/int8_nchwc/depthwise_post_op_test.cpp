// Tests int8 NCHWc convolutions with a depthwise post-op: the bytes of the two one by one.
#include <algorithm>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::product;
using test::RandomValues;

/// An int8 convolution with the numbers that it reads.
struct Int8PostOpConv {
  ConvSizes sizes;
  Int8ConvDesc flips;
  Int8ConvParams params;
  Int8ConvFloats floats;
  std::vector<std::uint8_t> weights;
  std::vector<std::int32_t> offsets;
  std::vector<float> scales;
  std::vector<float> weight_scales;
  std::vector<float> biases;
};

std::vector<std::uint8_t> some_bytes(RandomValues& numbers, std::int64_t count) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : result) byte = static_cast<std::uint8_t>(numbers.between(0, 255));
  return result;
}

/// Scales that are powers of two, so that many numbers lie at rounding ties.
void fill_int8_conv(RandomValues& numbers, bool has_floats, Int8PostOpConv& conv) {
  const ConvSizes& s = conv.sizes;
  const std::int64_t depth = s.channels_in / s.groups * product(s.kernel);
  const auto stored = static_cast<std::size_t>((s.channels_out + 31) / 32 * 32);
  conv.weights = some_bytes(numbers, s.channels_out * depth);
  conv.offsets.assign(stored, 0);
  conv.scales.assign(stored, 0.0F);
  conv.weight_scales.assign(stored, 0.0F);
  conv.biases.assign(stored, 0.0F);
  conv.flips = {static_cast<std::uint8_t>(numbers.flip() ? 128 : 0), 0};
  conv.params.image_zero = static_cast<std::int32_t>(numbers.between(0, 255));
  conv.floats.image_scale = 0.5F;
  conv.floats.out_scale = s.groups > 1 ? 32.0F : 128.0F;
  for (std::int64_t i = 0; i < s.channels_out; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::int32_t sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += static_cast<std::int8_t>(conv.weights[static_cast<std::size_t>(i * depth + k)]);
    const auto bias = static_cast<std::int32_t>(numbers.between(-200, 200));
    conv.offsets[at] = bias - conv.params.image_zero * sum;
    conv.weight_scales[at] = numbers.flip() ? 0.25F : 0.5F;
    conv.biases[at] = static_cast<float>(bias) * conv.floats.image_scale * conv.weight_scales[at];
    conv.scales[at] = conv.floats.image_scale * conv.weight_scales[at] / conv.floats.out_scale;
  }
  conv.params.epilogue.output = EpilogueOutput::int8;
  conv.params.epilogue.offsets = conv.offsets.data();
  conv.params.epilogue.scales = conv.scales.data();
  conv.params.epilogue.range =
      numbers.flip() ? Int8Range{-118.0F, 137.0F, -10} : Int8Range{-20.0F, 200.0F, 20};
  conv.floats.weight_scales = conv.weight_scales.data();
  conv.floats.biases = conv.biases.data();
  if (has_floats) conv.params.floats = &conv.floats;
}

AlignedBuffer packed_int8(const Int8PostOpConv& conv, const Int8ConvAlgorithm& algorithm) {
  AlignedBuffer packed = test::bytes(packed_nchwc_int8_conv_bytes(
      conv.sizes, false, conv.weights.data(), conv.flips.weight_flip, algorithm));
  pack_nchwc_int8_conv(conv.sizes, false, conv.weights.data(), conv.flips.weight_flip, algorithm,
                       packed.data());
  return packed;
}

std::int64_t image_bytes(std::int64_t batch, std::int64_t channels,
                         const std::int64_t (&sizes)[3]) {
  constexpr std::int64_t block = 16;
  return batch * ((channels + block - 1) / block * block) * product(sizes);
}

/// The bytes of used channels: others are arbitrary.
std::vector<std::uint8_t> used_bytes(const std::uint8_t* y, const ConvSizes& sizes) {
  constexpr std::int64_t block = 16;
  const std::int64_t blocks = (sizes.channels_out + block - 1) / block;
  const std::int64_t pixels = product(sizes.out);
  std::vector<std::uint8_t> result;
  for (std::int64_t i = 0; i < sizes.batch * blocks * pixels * block; ++i) {
    const std::int64_t channel = i / (pixels * block) % blocks * block + i % block;
    if (channel < sizes.channels_out) result.push_back(y[i]);
  }
  return result;
}

void check_same_bytes(const Int8PostOpConv& dense, const Int8PostOpConv& depthwise,
                      RandomValues& numbers) {
  const ConvSizes& s = dense.sizes;
  const ConvSizes& d = depthwise.sizes;
  CAPTURE(s.batch, s.channels_in, s.channels_out, s.in, d.out, d.kernel, d.stride, d.pad,
          static_cast<int>(dense.flips.image_flip), static_cast<int>(depthwise.flips.image_flip),
          dense.params.floats != nullptr);
  constexpr std::int64_t slack = 256;
  const std::vector<std::uint8_t> x =
      some_bytes(numbers, image_bytes(s.batch, s.channels_in, s.in) + slack);
  const std::int64_t count = image_bytes(d.batch, d.channels_out, d.out);
  for (const Isa isa : test::isas_here()) {
    const Int8ConvAlgorithm algorithm = {isa};
    if (!can_append_int8_depthwise(s, algorithm, d, algorithm)) continue;
    CAPTURE(isa_name(isa));
    const AlignedBuffer dense_weights = packed_int8(dense, algorithm);
    const AlignedBuffer depthwise_weights = packed_int8(depthwise, algorithm);
    AlignedBuffer between = test::bytes(image_bytes(s.batch, s.channels_out, s.out) + slack);
    AlignedBuffer expected = test::bytes(count);
    Workers alone;
    AlignedBuffer space =
        test::bytes(std::max(nchwc_int8_conv_workspace_bytes(s, false, algorithm, 1),
                             nchwc_int8_conv_workspace_bytes(d, false, algorithm, 1)));
    nchwc_int8_conv(s, false, x.data(), dense.flips, dense_weights.as<std::byte>(), dense.params,
                    between.as<std::uint8_t>(), algorithm, space.data(), alone);
    nchwc_int8_conv(d, false, between.as<std::uint8_t>(), depthwise.flips,
                    depthwise_weights.as<std::byte>(), depthwise.params,
                    expected.as<std::uint8_t>(), algorithm, space.data(), alone);
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      Workers workers(pool, threads);
      const std::int64_t bytes =
          nchwc_int8_depthwise_workspace_bytes(s, algorithm, d, algorithm, threads);
      constexpr std::uint8_t untouched = 77;
      AlignedBuffer shared = test::bytes(bytes + slack);
      AlignedBuffer y = test::bytes(count + slack);
      std::memset(shared.data(), untouched, static_cast<std::size_t>(bytes + slack));
      std::memset(y.data(), untouched, static_cast<std::size_t>(count + slack));
      nchwc_int8_conv_with_depthwise(
          {s, dense.flips, dense_weights.as<std::byte>(), dense.params, algorithm},
          {d, depthwise.flips, depthwise_weights.as<std::byte>(), depthwise.params, algorithm},
          x.data(), y.as<std::uint8_t>(), shared.data(), workers, threads);
      for (std::int64_t i = 0; i < slack; ++i) {
        REQUIRE(shared.as<std::uint8_t>()[bytes + i] == untouched);
        REQUIRE(y.as<std::uint8_t>()[count + i] == untouched);
      }
      REQUIRE(used_bytes(y.as<std::uint8_t>(), d) == used_bytes(expected.as<std::uint8_t>(), d));
    }
  }
}

void check_int8_post_op(RandomValues& numbers, Int8PostOpConv& dense, std::int64_t max_kernel) {
  const ConvSizes& s = dense.sizes;
  Int8PostOpConv depthwise;
  ConvSizes& d = depthwise.sizes;
  d.batch = s.batch;
  d.groups = d.channels_in = d.channels_out = s.channels_out;
  for (int axis = 1; axis < 3; ++axis) {
    d.in[axis] = s.out[axis];
    d.kernel[axis] = numbers.between(1, max_kernel);
    d.stride[axis] = numbers.between(1, 2);
    d.pad[axis] = d.kernel[axis] / 2;
    const std::int64_t padded = std::max(d.in[axis] + 2 * d.pad[axis], d.kernel[axis]);
    d.out[axis] = (padded - d.kernel[axis]) / d.stride[axis] + 1;
  }
  const bool has_floats = numbers.flip();
  fill_int8_conv(numbers, has_floats, dense);
  fill_int8_conv(numbers, has_floats, depthwise);
  check_same_bytes(dense, depthwise, numbers);
}

TEST_CASE("An int8 convolution has the same bytes with a depthwise post-op", "[conv]") {
  const std::uint32_t seed = 20295;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 24; ++round) {
    Int8PostOpConv dense;
    ConvSizes& s = dense.sizes;
    s.batch = numbers.between(1, 2);
    s.channels_in = numbers.between(1, 60);
    s.channels_out = numbers.between(2, 90);
    if (s.channels_out % 16 == 1) ++s.channels_out;
    s.in[1] = s.out[1] = numbers.between(1, 30);
    s.in[2] = s.out[2] = numbers.between(1, 30);
    check_int8_post_op(numbers, dense, 5);
  }
}

TEST_CASE("Int8 images that take several shares of channels have the same bytes", "[conv]") {
  const std::uint32_t seed = 20296;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 3; ++round) {
    Int8PostOpConv dense;
    ConvSizes& s = dense.sizes;
    s.batch = 1 + round % 2;
    s.channels_in = numbers.between(8, 24);
    s.channels_out = numbers.between(70, 79);
    s.in[1] = s.out[1] = numbers.between(90, 100);
    s.in[2] = s.out[2] = numbers.between(92, 100);
    check_int8_post_op(numbers, dense, 3);
  }
}

TEST_CASE("Int8 post-ops are depthwise convolutions of the whole result", "[conv]") {
  ConvSizes dense;
  dense.channels_in = 8;
  dense.channels_out = 32;
  ConvSizes depthwise;
  depthwise.groups = depthwise.channels_in = depthwise.channels_out = 32;
  for (int axis = 1; axis < 3; ++axis) {
    dense.in[axis] = dense.out[axis] = depthwise.in[axis] = depthwise.out[axis] = 12;
    depthwise.kernel[axis] = 3;
    depthwise.pad[axis] = 1;
  }
  for (const Isa isa : test::isas_here()) {
    const Int8ConvAlgorithm algorithm = {isa};
    const bool is_possible = can_append_int8_depthwise(dense, algorithm, depthwise, algorithm);
    CAPTURE(isa_name(isa));
    CHECK((!is_possible || isa != Isa::baseline));
    ConvSizes other = depthwise;
    other.in[1] = 11;
    CHECK_FALSE(can_append_int8_depthwise(dense, algorithm, other, algorithm));
    // The last share would have a single channel.
    other = depthwise;
    ConvSizes odd = dense;
    odd.channels_out = other.groups = other.channels_in = other.channels_out = 33;
    CHECK_FALSE(can_append_int8_depthwise(odd, algorithm, other, algorithm));
    CHECK_FALSE(can_append_int8_depthwise(dense, {isa, true}, depthwise, algorithm));
  }
}

}  // namespace
}  // namespace ortool::cpu
