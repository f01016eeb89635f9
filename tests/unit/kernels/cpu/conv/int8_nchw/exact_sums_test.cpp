// Convolutions with exact float sums need no decision at rounding ties.
#include "kernels/cpu/conv/int8_nchw/exact_sums.hpp"

#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/gemm/int8/pack.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t channels = 24;
constexpr std::int64_t depth = 20;
constexpr std::int64_t pixels = 50;

/// A 1 x 1 convolution whose scales are powers of two, so that many results are rounding ties.
struct PowerCase {
  std::vector<std::uint8_t> x;
  std::vector<std::uint8_t> weights;
  std::vector<std::int32_t> biases;
  std::vector<float> weight_scales;
  std::vector<float> float_biases;
  Int8ConvFloats floats;
  std::int32_t image_zero;

  explicit PowerCase(test::RandomValues& numbers)
      : image_zero(static_cast<std::int32_t>(numbers.between(0, 255))) {
    for (std::int64_t i = 0; i < depth * pixels; ++i)
      x.push_back(static_cast<std::uint8_t>(numbers.between(0, 255)));
    for (std::int64_t i = 0; i < channels * depth; ++i)
      weights.push_back(static_cast<std::uint8_t>(numbers.between(0, 255)));
    for (std::int64_t i = 0; i < channels; ++i) {
      biases.push_back(static_cast<std::int32_t>(numbers.between(-9000, 9000)));
      weight_scales.push_back(numbers.flip() ? 0x1p-7F : 0x1p-9F);
      float_biases.push_back(static_cast<float>(biases.back()) * 0x1p-4F * weight_scales.back());
    }
    floats = {weight_scales.data(), float_biases.data(), 0x1p-4F, 2.0F};
  }
  bool is_exact() const {
    return has_exact_sums(channels, depth, weights.data(), 0, floats, image_zero, biases.data());
  }
  std::vector<std::uint8_t> result(const Int8ConvFloats* given, Isa isa) const {
    ConvSizes sizes;
    sizes.batch = sizes.groups = 1;
    sizes.channels_in = depth;
    sizes.channels_out = channels;
    for (int axis = 0; axis < 3; ++axis) {
      sizes.kernel[axis] = sizes.stride[axis] = sizes.dilation[axis] = 1;
      sizes.in[axis] = sizes.out[axis] = axis == 2 ? pixels : 1;
      sizes.pad[axis] = 0;
    }
    std::vector<std::int32_t> offsets;
    std::vector<float> scales;
    for (std::int64_t i = 0; i < channels; ++i) {
      const auto index = static_cast<std::size_t>(i);
      offsets.push_back(biases[index] -
                        image_zero * sum_signed_bytes(weights.data() + i * depth, depth, 1, 0));
      scales.push_back(floats.image_scale * weight_scales[index] / floats.out_scale);
    }
    Int8ConvParams params;
    params.image_zero = image_zero;
    params.biases = biases.data();
    params.epilogue.output = EpilogueOutput::int8;
    params.epilogue.offsets = offsets.data();
    params.epilogue.scales = scales.data();
    params.epilogue.range = {-128.0F, 127.0F, 128};
    params.floats = given;
    AlignedBuffer packed = test::bytes(packed_int8_conv_bytes(sizes, isa));
    std::vector<std::int32_t> sums(static_cast<std::size_t>(channels));
    pack_int8_conv(sizes, weights.data(), 0, isa, packed.data(), sums.data());
    AlignedBuffer space = test::bytes(int8_conv_workspace_bytes(sizes, isa, 1));
    std::vector<std::uint8_t> y(static_cast<std::size_t>(channels * pixels));
    Workers workers;
    int8_conv(sizes, x.data(), {}, packed.data(), params, y.data(), isa, space.data(), workers);
    return y;
  }
};

}  // namespace

TEST_CASE("with scales that are powers of two both formulas give the same bytes") {
  test::RandomValues numbers(11);
  for (int i = 0; i < 20; ++i) {
    const PowerCase one(numbers);
    INFO("case " << i);
    REQUIRE(one.is_exact());
    for (const Isa isa : test::isas_here())
      CHECK(one.result(&one.floats, isa) == one.result(nullptr, isa));
  }
}

TEST_CASE("sums are not exact with other scales, other biases or too many bits") {
  test::RandomValues numbers(12);
  PowerCase one(numbers);
  REQUIRE(one.is_exact());
  SECTION("image scale") {
    one.floats.image_scale = 0.1F;
  }
  SECTION("result scale") {
    one.floats.out_scale = 0.3F;
  }
  SECTION("weight scale") {
    one.weight_scales[5] = 0.01F;
  }
  SECTION("zero scale") {
    one.weight_scales[5] = 0.0F;
  }
  SECTION("a bias between steps") {
    one.float_biases[3] += 0x1p-20F;
  }
  SECTION("a large bias") {
    one.biases[3] = 1 << 24;
    one.float_biases[3] = static_cast<float>(one.biases[3]) * 0x1p-4F * one.weight_scales[3];
  }
  CHECK_FALSE(one.is_exact());
}

}  // namespace ortool::cpu
