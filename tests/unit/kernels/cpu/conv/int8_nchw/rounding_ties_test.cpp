// Rounding ties in int8 convolutions follow the float formula, all other results the integer sums.
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t columns = 37;

/// Requantizes 0, 1, 2, … by 1/2. The float bias of the second channel is unknown to the integer
/// sums. One group is computed by im2col, two by planes.
std::vector<std::uint8_t> convolved(std::int64_t groups, float float_bias, Isa isa) {
  ConvSizes sizes;
  sizes.channels_in = 2;
  sizes.channels_out = 2;
  sizes.groups = groups;
  sizes.in[2] = sizes.out[2] = columns;
  std::vector<std::uint8_t> image(2 * columns);
  for (std::int64_t i = 0; i < 2 * columns; ++i)
    image[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i % columns);
  // With one group, the weights of the second input channel are zero.
  const std::vector<std::uint8_t> weights =
      groups == 2 ? std::vector<std::uint8_t>{1, 1} : std::vector<std::uint8_t>{1, 0, 1, 0};
  AlignedBuffer packed = test::bytes(packed_int8_conv_bytes(sizes, isa));
  std::int32_t sums[2] = {};
  pack_int8_conv(sizes, weights.data(), 0, isa, packed.data(), sums);
  const std::int32_t offsets[2] = {0, 0};
  const float ones[2] = {1.0F, 1.0F};
  const float halves[2] = {0.5F, 0.5F};
  const float biases[2] = {0.0F, float_bias};
  const Int8ConvFloats floats = {ones, biases, 1.0F, 2.0F};
  Int8ConvParams numbers;
  numbers.epilogue.output = EpilogueOutput::int8;
  numbers.epilogue.offsets = offsets;
  numbers.epilogue.scales = halves;
  numbers.epilogue.range = {0.0F, 255.0F, 0};
  numbers.floats = &floats;
  std::vector<std::uint8_t> result(2 * columns);
  AlignedBuffer space = test::bytes(int8_conv_workspace_bytes(sizes, isa, 1));
  Workers workers;
  int8_conv(sizes, image.data(), {}, packed.data(), numbers, result.data(), isa, space.data(),
            workers);
  return result;
}

/// 0, 1, 2, … halved: ties round to even or, in the second channel, in `direction`.
std::vector<std::uint8_t> expected(int direction) {
  std::vector<std::uint8_t> result(2 * columns);
  for (std::int64_t i = 0; i < columns; ++i) {
    const std::int64_t even = i % 2 == 0 ? i / 2 : (i + 1) / 4 * 2;
    const std::int64_t moved = direction < 0 ? i / 2 : (i + 1) / 2;
    result[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(even);
    result[static_cast<std::size_t>(columns + i)] =
        static_cast<std::uint8_t>(direction == 0 ? even : moved);
  }
  return result;
}

TEST_CASE("numbers near a half are rounded as their float sums") {
  for (const Isa isa : test::isas_here()) {
    for (const std::int64_t groups : {1, 2}) {
      CHECK(convolved(groups, 0.0F, isa) == expected(0));
      CHECK(convolved(groups, 0.001F, isa) == expected(1));
      CHECK(convolved(groups, -0.001F, isa) == expected(-1));
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
