// Depthwise convolution of images stored in bfloat16: as that of the same images in float32.
#include "kernels/cpu/conv/bf16_nchwc/depthwise.hpp"

#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/isa/bf16_features.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::RandomValues;

constexpr std::int64_t lanes = 16;

ConvSizes random_depthwise(RandomValues& numbers) {
  ConvSizes sizes;
  sizes.batch = numbers.between(1, 2);
  sizes.channels_in = sizes.channels_out = sizes.groups = numbers.between(2, 40);
  for (int axis = 1; axis < 3; ++axis) {
    sizes.kernel[axis] = 3;
    sizes.stride[axis] = numbers.between(1, 2);
    sizes.pad[axis] = numbers.between(0, 1);
    sizes.in[axis] = numbers.between(3, 40);
    const std::int64_t behind = numbers.between(0, 1);
    sizes.out[axis] = (sizes.in[axis] + sizes.pad[axis] + behind - 3) / sizes.stride[axis] + 1;
  }
  return sizes;
}

std::vector<std::uint16_t> rounded(const std::vector<float>& values) {
  std::vector<std::uint16_t> result;
  for (const float value : values) result.push_back(to_bfloat16(value).bits);
  return result;
}

std::vector<float> widened(const std::vector<std::uint16_t>& values) {
  std::vector<float> result;
  for (const std::uint16_t value : values) result.push_back(to_float(BFloat16Bits{value}));
  return result;
}

/// Results in float32 of images that bfloat16 holds exactly, and the same by the three ways of
/// storing them.
void check_depthwise(RandomValues& numbers, Isa isa) {
  const ConvSizes sizes = random_depthwise(numbers);
  CAPTURE(sizes.channels_in, sizes.in[1], sizes.in[2], sizes.stride[1], sizes.stride[2]);
  CAPTURE(sizes.pad[1], sizes.pad[2], sizes.out[1], sizes.out[2]);
  ThreadPool pool(2);
  Workers workers(pool, 2);
  const std::int64_t blocks = (sizes.channels_in + lanes - 1) / lanes;
  const std::vector<std::uint16_t> narrow_x =
      rounded(numbers.floats(sizes.batch * blocks * lanes * sizes.in[1] * sizes.in[2]));
  const std::vector<float> x = widened(narrow_x);
  const std::vector<float> weights = numbers.floats(sizes.channels_in * 9);
  const std::vector<float> bias = numbers.floats(blocks * lanes);
  Epilogue epilogue;
  epilogue.addend = Addend::per_row;
  epilogue.added = bias.data();
  epilogue.activation = numbers.flip() ? Activation::clip : Activation::hard_swish;
  epilogue.low = epilogue.activation == Activation::clip ? -0.5F : 1.0F / 6;
  epilogue.high = epilogue.activation == Activation::clip ? 0.75F : 0.5F;
  REQUIRE(can_convolve_bfloat16(sizes, epilogue.activation, isa));
  const NchwcConvAlgorithm direct = NchwcConvAlgorithm::direct;
  AlignedBuffer packed = test::bytes(packed_nchwc_weight_bytes(sizes, direct, isa));
  pack_nchwc_weights(sizes, direct, weights.data(), isa, packed.as<float>(), workers);
  const auto count =
      static_cast<std::size_t>(sizes.batch * blocks * lanes * sizes.out[1] * sizes.out[2]);
  std::vector<float> wanted(count);
  AlignedBuffer workspace = test::bytes(nchwc_conv_workspace_bytes(sizes, direct, isa, 2));
  const auto convolve = [&](const InputImage& in, const OutputImage& out) {
    conv_nchwc(sizes, direct, in, packed.as<float>(), out, epilogue, isa, workspace.data(),
               workers);
  };
  convolve({.floats = x.data()}, {.floats = wanted.data()});

  std::vector<float> wide(count, -1.0F);
  convolve({.bfloat16 = narrow_x.data()}, {.floats = wide.data()});
  CHECK(std::memcmp(wide.data(), wanted.data(), count * sizeof(float)) == 0);
  std::vector<std::uint16_t> narrow(count, 0xFFFF);
  convolve({.bfloat16 = narrow_x.data()}, {.bfloat16 = narrow.data()});
  CHECK(widened(narrow) == widened(rounded(wanted)));
  std::fill(narrow.begin(), narrow.end(), std::uint16_t{0xFFFF});
  convolve({.floats = x.data()}, {.bfloat16 = narrow.data()});
  CHECK(widened(narrow) == widened(rounded(wanted)));
}

TEST_CASE("depthwise convolution of bfloat16 images is that of the same images in float32",
          "[conv]") {
  const std::uint32_t seed = 20274;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (const Isa isa : test::isas_here()) {
    if (bf16_depthwise_functions(isa) == nullptr) continue;
    CAPTURE(isa_name(isa));
    for (int round = 0; round < 60; ++round) check_depthwise(numbers, isa);
  }
}

TEST_CASE("windows other than 3 x 3 of one channel each are not convolved in bfloat16", "[conv]") {
  RandomValues numbers(20275);
  for (const Isa isa : test::isas_here()) {
    ConvSizes sizes = random_depthwise(numbers);
    CHECK(can_convolve_bfloat16(sizes, Activation::relu, isa) ==
          (bf16_depthwise_functions(isa) != nullptr));
    CHECK_FALSE(can_convolve_bfloat16(sizes, Activation::gelu, isa));
    sizes.pad[2] = 2;
    CHECK_FALSE(can_convolve_bfloat16(sizes, Activation::relu, isa));
    sizes = random_depthwise(numbers);
    sizes.kernel[1] = 5;
    CHECK_FALSE(can_convolve_bfloat16(sizes, Activation::relu, isa));
    sizes = random_depthwise(numbers);
    sizes.channels_out = 2 * sizes.channels_in;
    CHECK_FALSE(can_convolve_bfloat16(sizes, Activation::relu, isa));
  }
}

}  // namespace
}  // namespace ortool::cpu
