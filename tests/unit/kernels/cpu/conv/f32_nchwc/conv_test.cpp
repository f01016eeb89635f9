// Tests NCHWc convolutions, with their reorders, against sums in double.
#include "kernels/cpu/conv/f32_nchwc/conv.hpp"

#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/conv_f64.hpp"
#include "kernels/cpu/conv/reorder.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::activated;
using test::product;
using test::RandomValues;

struct Case {
  ConvSizes sizes;
  NchwcConvAlgorithm path = NchwcConvAlgorithm::direct;
  std::vector<float> x;
  std::vector<float> weights;
  std::vector<float> bias;
  std::vector<float> residual;
  Epilogue epilogue;
};

void pick_axis(RandomValues& numbers, ConvSizes& sizes, int axis, std::int64_t max_kernel,
               std::int64_t max_in) {
  sizes.kernel[axis] = numbers.between(1, max_kernel);
  sizes.stride[axis] = numbers.between(1, 3);
  sizes.dilation[axis] = numbers.between(1, 4) == 4 ? numbers.between(2, 7) : 1;
  const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
  sizes.pad[axis] = numbers.between(0, reach);
  const std::int64_t pad_behind = numbers.between(0, reach);
  sizes.in[axis] = numbers.between(1, max_in);
  const std::int64_t padded = sizes.in[axis] + sizes.pad[axis] + pad_behind;
  if (padded < reach) sizes.in[axis] += reach - padded;
  sizes.out[axis] =
      (sizes.in[axis] + sizes.pad[axis] + pad_behind - reach) / sizes.stride[axis] + 1;
}

void fill(RandomValues& numbers, Case& one) {
  const ConvSizes& sizes = one.sizes;
  one.x = numbers.floats(sizes.batch * sizes.channels_in * product(sizes.in));
  one.weights =
      numbers.floats(sizes.channels_out * sizes.channels_in / sizes.groups * product(sizes.kernel));
  if (numbers.flip()) one.bias = numbers.floats(sizes.channels_out);
  if (numbers.flip())
    one.residual = numbers.floats(sizes.batch * sizes.channels_out * product(sizes.out));
  one.epilogue.activation = static_cast<Activation>(numbers.between(0, 7));
  if (one.epilogue.activation >= Activation::gelu) one.residual.clear();
  one.epilogue.low = one.epilogue.activation == Activation::clip ? -0.5F : 0.2F;
  one.epilogue.high = 0.75F;
}

/// The sums of products, or of their magnitudes.
std::vector<double> sums(const Case& one, bool of_magnitudes) {
  const auto doubles = [&](const std::vector<float>& from) {
    std::vector<double> result(from.begin(), from.end());
    for (double& value : result) value = of_magnitudes ? std::fabs(value) : value;
    return result;
  };
  const std::vector<double> x = doubles(one.x);
  const std::vector<double> weights = doubles(one.weights);
  const std::vector<double> bias = doubles(one.bias);
  const ConvSizes& s = one.sizes;
  std::vector<double> y(static_cast<std::size_t>(s.batch * s.channels_out * product(s.out)));
  Workers workers;
  conv_f64(s, x.data(), weights.data(), bias.empty() ? nullptr : bias.data(), y.data(), workers);
  for (std::size_t i = 0; i < one.residual.size(); ++i) {
    const double added = double{one.residual[i]};
    y[i] += of_magnitudes ? std::fabs(added) : added;
  }
  return y;
}

/// The largest magnitude in the 4 × 4 tile that contains element `index`: the Winograd transform
/// computes each pixel of a tile from sums over all of them.
double tile_magnitude(const ConvSizes& s, const std::vector<double>& magnitudes,
                      std::size_t index) {
  const auto at = static_cast<std::int64_t>(index);
  const std::int64_t plane = at / product(s.out) * product(s.out);
  const std::int64_t row = at % product(s.out) / s.out[2] / 4 * 4;
  const std::int64_t column = at % s.out[2] / 4 * 4;
  double largest = 0;
  for (std::int64_t i = row; i < std::min(row + 4, s.out[1]); ++i) {
    for (std::int64_t j = column; j < std::min(column + 4, s.out[2]); ++j)
      largest = std::max(largest, magnitudes[static_cast<std::size_t>(plane + i * s.out[2] + j)]);
  }
  return largest;
}

class Blocked {
 public:
  Blocked(const Case& one, Isa isa, int threads)
      : one_(one), isa_(isa), pool_(threads), workers_(pool_, threads), threads_(threads) {
    block_ = block_of(blocked_layout(isa));
  }

  /// y in NCHW; the padding of its channel blocks must be zero.
  std::vector<float> run() {
    const ConvSizes& s = one_.sizes;
    const AlignedBuffer x = one_.path == NchwcConvAlgorithm::from_nchw
                                ? copy(one_.x)
                                : blocked(one_.x, s.channels_in, product(s.in));
    AlignedBuffer weights = test::bytes(packed_nchwc_weight_bytes(s, one_.path, isa_));
    pack_nchwc_weights(s, one_.path, one_.weights.data(), isa_, weights.as<float>(), workers_);
    Epilogue epilogue = one_.epilogue;
    std::vector<float> bias = one_.bias;
    bias.resize(static_cast<std::size_t>(filled(s.channels_out)));
    if (!one_.bias.empty()) {
      epilogue.addend = Addend::per_row;
      epilogue.added = bias.data();
    }
    AlignedBuffer residual;
    if (!one_.residual.empty()) {
      residual = blocked(one_.residual, s.channels_out, product(s.out));
      epilogue.residual = residual.as<float>();
    }
    const std::int64_t count = s.batch * filled(s.channels_out) * product(s.out);
    constexpr float untouched = 12345.0F;
    AlignedBuffer y = test::bytes(count * 4);
    std::fill_n(y.as<float>(), count + 16, untouched);
    AlignedBuffer workspace = test::bytes(nchwc_conv_workspace_bytes(s, one_.path, isa_, threads_));
    conv_nchwc(s, one_.path, {.floats = x.as<float>()}, weights.as<float>(),
               {.floats = y.as<float>()}, epilogue, isa_, workspace.data(), workers_);
    for (std::int64_t i = 0; i < 16; ++i) REQUIRE(y.as<float>()[count + i] == untouched);
    require_zero_filling(y.as<float>());
    std::vector<float> result(static_cast<std::size_t>(s.batch * s.channels_out * product(s.out)));
    reorder_to_nchw({s.batch, s.channels_out, product(s.out), block_}, y.as<float>(), result.data(),
                    isa_, workers_);
    return result;
  }

 private:
  std::int64_t filled(std::int64_t channels) const {
    return (channels + block_ - 1) / block_ * block_;
  }
  static AlignedBuffer copy(const std::vector<float>& from) {
    AlignedBuffer buffer = test::bytes(static_cast<std::int64_t>(from.size()) * 4);
    std::copy(from.begin(), from.end(), buffer.as<float>());
    return buffer;
  }
  AlignedBuffer blocked(const std::vector<float>& plain, std::int64_t channels,
                        std::int64_t pixels) {
    AlignedBuffer buffer = test::bytes(one_.sizes.batch * filled(channels) * pixels * 4);
    reorder_to_nchwc({one_.sizes.batch, channels, pixels, block_}, plain.data(), buffer.as<float>(),
                     isa_, workers_);
    return buffer;
  }
  void require_zero_filling(const float* y) const {
    const ConvSizes& s = one_.sizes;
    const std::int64_t used = s.channels_out % block_;
    if (used == 0) return;
    const std::int64_t pixels = product(s.out);
    const std::int64_t blocks = filled(s.channels_out) / block_;
    for (std::int64_t i = 0; i < s.batch * pixels; ++i) {
      const float* pixel =
          y + ((i / pixels + 1) * blocks - 1) * pixels * block_ + i % pixels * block_;
      for (std::int64_t lane = used; lane < block_; ++lane) REQUIRE(pixel[lane] == 0.0F);
    }
  }

  const Case& one_;
  Isa isa_;
  ThreadPool pool_;
  Workers workers_;
  int threads_;
  std::int64_t block_ = 0;
};

void check(const Case& one) {
  const ConvSizes& s = one.sizes;
  CAPTURE(s.batch, s.groups, s.channels_in, s.channels_out, s.in, s.out, s.kernel, s.stride,
          s.dilation, s.pad, static_cast<int>(one.epilogue.activation), one.bias.size(),
          one.residual.size(), static_cast<int>(one.path));
  REQUIRE(can_block_conv(s, one.path));
  const std::vector<double> exact = sums(one, false);
  const std::vector<double> magnitudes = sums(one, true);
  const std::int64_t terms = s.channels_in / s.groups * product(s.kernel);
  for (const Isa isa : test::isas_here()) {
    if (isa == Isa::baseline) continue;
    CAPTURE(isa_name(isa));
    const std::vector<float> y = Blocked(one, isa, 1).run();
    REQUIRE(y.size() == exact.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double expected = activated(exact[i], one.epilogue);
      const double allowed = one.path == NchwcConvAlgorithm::winograd
                                 ? 8 * test::allowed_error(terms, tile_magnitude(s, magnitudes, i))
                                 : test::allowed_error(terms, magnitudes[i]);
      if (std::fabs(double{y[i]} - expected) <= allowed) continue;
      CAPTURE(i, y[i], expected);
      FAIL("an element is too far off");
    }
    for (const int threads : {2, 8}) {
      const std::vector<float> again = Blocked(one, isa, threads).run();
      REQUIRE(std::memcmp(y.data(), again.data(), y.size() * sizeof(float)) == 0);
    }
  }
}

/// Images of one or two dimensions.
void pick_spatial(RandomValues& numbers, ConvSizes& sizes, std::int64_t max_kernel,
                  std::int64_t max_in) {
  if (numbers.between(1, 4) > 1) pick_axis(numbers, sizes, 1, max_kernel, max_in);
  pick_axis(numbers, sizes, 2, max_kernel, max_in);
}

TEST_CASE("Blocked convolutions over all channels agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20271;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round) {
    Case one;
    one.sizes.batch = numbers.between(1, 2);
    one.sizes.channels_in = numbers.between(1, 40);
    one.sizes.channels_out = numbers.between(1, 70);
    pick_spatial(numbers, one.sizes, 4, 20);
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("Blocked pointwise convolutions agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20272;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 12; ++round) {
    Case one;
    one.sizes.batch = numbers.between(1, 2);
    one.sizes.channels_in = numbers.between(1, 300);
    one.sizes.channels_out = numbers.between(1, 100);
    one.sizes.in[1] = one.sizes.out[1] = numbers.between(1, 20);
    one.sizes.in[2] = one.sizes.out[2] = numbers.between(1, 20);
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("Convolutions of plain images give blocked ones", "[conv]") {
  const std::uint32_t seed = 20273;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 30; ++round) {
    Case one;
    one.path = NchwcConvAlgorithm::from_nchw;
    one.sizes.batch = numbers.between(1, 2);
    one.sizes.channels_in = numbers.between(1, 4);
    one.sizes.channels_out = numbers.between(1, 40);
    pick_spatial(numbers, one.sizes, 7, 30);
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("Blocked convolutions by Winograd's transformation agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20276;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 40; ++round) {
    Case one;
    one.path = NchwcConvAlgorithm::winograd;
    one.sizes.batch = numbers.between(1, 3);
    one.sizes.channels_in = numbers.between(1, 40);
    one.sizes.channels_out = numbers.between(1, 70);
    const bool is_large = round % 10 == 0;
    for (int axis = 1; axis < 3; ++axis) {
      one.sizes.kernel[axis] = 3;
      one.sizes.in[axis] = numbers.between(is_large ? 60 : 3, is_large ? 90 : 20);
      one.sizes.pad[axis] = numbers.between(0, 3);
      const std::int64_t pad_behind = numbers.between(0, 3);
      one.sizes.out[axis] = one.sizes.in[axis] + one.sizes.pad[axis] + pad_behind - 2;
    }
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE(
    "Where Winograd's transformation is chosen its errors stay within the bound of plain sums",
    "[conv]") {
  const std::uint32_t seed = 20278;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (const std::int64_t channels : {16, 40, 128}) {
    Case one;
    one.path = NchwcConvAlgorithm::winograd;
    one.sizes.channels_in = one.sizes.channels_out = channels;
    for (int axis = 1; axis < 3; ++axis) {
      one.sizes.kernel[axis] = 3;
      one.sizes.pad[axis] = 1;
      one.sizes.in[axis] = one.sizes.out[axis] = numbers.between(20, 28);
    }
    fill(numbers, one);
    REQUIRE(choose_nchwc_algorithm(one.sizes) == NchwcConvAlgorithm::winograd);
    const std::vector<double> exact = sums(one, false);
    const std::vector<double> magnitudes = sums(one, true);
    for (const Isa isa : test::isas_here()) {
      if (isa == Isa::baseline) continue;
      CAPTURE(channels, isa_name(isa));
      const std::vector<float> y = Blocked(one, isa, 2).run();
      double most = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double error = std::fabs(double{y[i]} - activated(exact[i], one.epilogue));
        most = std::max(most, error / test::allowed_error(9 * channels, magnitudes[i]));
      }
      CHECK(most <= 1);
    }
  }
}

TEST_CASE("Only windows of 3 by 3 in steps of one are convolved by Winograd's transformation",
          "[conv]") {
  ConvSizes sizes;
  sizes.channels_in = sizes.channels_out = 64;
  for (int axis = 1; axis < 3; ++axis) {
    sizes.in[axis] = sizes.out[axis] = 28;
    sizes.kernel[axis] = 3;
    sizes.pad[axis] = 1;
  }
  CHECK(can_block_conv(sizes, NchwcConvAlgorithm::winograd));
  CHECK(choose_nchwc_algorithm(sizes) == NchwcConvAlgorithm::winograd);
  ConvSizes other = sizes;
  other.stride[1] = 2;
  other.out[1] = 14;
  CHECK_FALSE(can_block_conv(other, NchwcConvAlgorithm::winograd));
  CHECK(choose_nchwc_algorithm(other) == NchwcConvAlgorithm::direct);
  other = sizes;
  other.dilation[2] = 2;
  other.pad[2] = 2;
  CHECK_FALSE(can_block_conv(other, NchwcConvAlgorithm::winograd));
  other = sizes;
  other.groups = 64;
  CHECK_FALSE(can_block_conv(other, NchwcConvAlgorithm::winograd));
  other = sizes;
  other.kernel[1] = 1;
  other.pad[1] = 0;
  CHECK_FALSE(can_block_conv(other, NchwcConvAlgorithm::winograd));
}

TEST_CASE("Blocked depthwise convolutions agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20274;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 40; ++round) {
    Case one;
    one.sizes.batch = numbers.between(1, 2);
    one.sizes.groups = numbers.between(2, 40);
    one.sizes.channels_in = one.sizes.channels_out = one.sizes.groups;
    pick_spatial(numbers, one.sizes, round % 2 == 0 ? 5 : 8, 40);
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("Blocked depthwise convolutions may have several outputs per channel", "[conv]") {
  const std::uint32_t seed = 20278;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 40; ++round) {
    Case one;
    one.sizes.batch = numbers.between(1, 2);
    one.sizes.groups = one.sizes.channels_in = numbers.between(2, 40);
    one.sizes.channels_out = one.sizes.groups << numbers.between(1, 3);
    pick_spatial(numbers, one.sizes, 7, 40);
    fill(numbers, one);
    check(one);
  }
  ConvSizes sizes = {};
  sizes.groups = sizes.channels_in = 4;
  sizes.channels_out = 12;
  CHECK_FALSE(can_block_conv(sizes, NchwcConvAlgorithm::direct));
}

TEST_CASE("Blocked depthwise windows of 3 by 3 agree with sums in double at every rim", "[conv]") {
  const std::uint32_t seed = 20277;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 40; ++round) {
    Case one;
    one.sizes.batch = numbers.between(1, 2);
    one.sizes.groups = numbers.between(2, 40);
    one.sizes.channels_in = one.sizes.channels_out = one.sizes.groups;
    for (int axis = 1; axis < 3; ++axis) {
      one.sizes.kernel[axis] = 3;
      one.sizes.stride[axis] = numbers.between(1, 2);
      one.sizes.pad[axis] = numbers.between(0, 1);
      const std::int64_t pad_behind = numbers.between(0, 1);
      one.sizes.in[axis] = numbers.between(3, 40);
      one.sizes.out[axis] =
          (one.sizes.in[axis] + one.sizes.pad[axis] + pad_behind - 3) / one.sizes.stride[axis] + 1;
    }
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("Images larger than what stays near are cut into chunks", "[conv]") {
  const std::uint32_t seed = 20275;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (const std::int64_t kernel : {1, 3}) {
    Case one;
    one.sizes.channels_in = 70;
    one.sizes.channels_out = 20;
    for (int axis = 1; axis < 3; ++axis) {
      one.sizes.in[axis] = one.sizes.out[axis] = 45 + 15 * axis;
      one.sizes.kernel[axis] = kernel;
      one.sizes.pad[axis] = kernel / 2;
    }
    fill(numbers, one);
    check(one);
  }
}

}  // namespace
}  // namespace ortool::cpu
