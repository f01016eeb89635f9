// Tests bfloat16 NCHW16c convolution against sums in double of operands rounded to bfloat16, of
// images in float32 and in bfloat16.
#include "kernels/cpu/conv/bf16_nchwc/conv.hpp"

#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::activated;
using test::RandomValues;

constexpr std::int64_t lanes = 16;

struct Bf16ConvCase {
  ConvSizes sizes;
  bool from_nchw = false;
  std::vector<float> x;  ///< NCHW
  std::vector<float> weights;
  std::vector<float> bias;      ///< padded to whole blocks
  std::vector<float> residual;  ///< NCHW16c
  Epilogue epilogue;
  // Stored in bfloat16.
  bool has_narrow_x = false;
  bool has_narrow_residual = false;
  bool has_narrow_y = false;
};

std::int64_t blocks_of_channels(std::int64_t channels) {
  return (channels + lanes - 1) / lanes;
}

/// Place of an element of an NCHW16c image.
std::size_t blocked_place(std::int64_t image, std::int64_t channel, std::int64_t channels,
                          std::int64_t pixel, std::int64_t pixels) {
  return static_cast<std::size_t>(
      ((image * blocks_of_channels(channels) + channel / lanes) * pixels + pixel) * lanes +
      channel % lanes);
}

std::vector<float> blocked_image(const std::vector<float>& x, std::int64_t batch,
                                 std::int64_t channels, std::int64_t pixels) {
  std::vector<float> out(
      static_cast<std::size_t>(batch * blocks_of_channels(channels) * pixels * lanes));
  for (std::int64_t i = 0; i < batch * channels * pixels; ++i) {
    out[blocked_place(i / pixels / channels, i / pixels % channels, channels, i % pixels, pixels)] =
        x[static_cast<std::size_t>(i)];
  }
  return out;
}

Bf16ConvCase make_conv_case(RandomValues& numbers, const ConvSizes& sizes) {
  Bf16ConvCase one;
  one.sizes = sizes;
  const std::int64_t pixels_in = sizes.in[1] * sizes.in[2];
  const std::int64_t pixels = sizes.out[1] * sizes.out[2];
  const std::int64_t taps = sizes.kernel[1] * sizes.kernel[2];
  const std::int64_t stored = blocks_of_channels(sizes.channels_out) * lanes;
  one.x = numbers.floats(sizes.batch * sizes.channels_in * pixels_in);
  one.weights = numbers.floats(sizes.channels_out * sizes.channels_in * taps);
  Epilogue& epilogue = one.epilogue;
  if (numbers.flip()) {
    one.bias = numbers.floats(stored);
    for (std::int64_t i = sizes.channels_out; i < stored; ++i)
      one.bias[static_cast<std::size_t>(i)] = 0;
    epilogue.addend = Addend::per_row;
    epilogue.added = one.bias.data();
  }
  if (numbers.flip()) {
    one.residual = blocked_image(numbers.floats(sizes.batch * sizes.channels_out * pixels),
                                 sizes.batch, sizes.channels_out, pixels);
    one.has_narrow_residual = numbers.flip();
  }
  one.has_narrow_x = numbers.flip();
  one.has_narrow_y = numbers.flip();
  epilogue.activation = static_cast<Activation>(numbers.between(0, 7));
  epilogue.low = epilogue.activation == Activation::clip ? -0.5F : 0.1F;
  epilogue.high = epilogue.activation == Activation::clip ? 0.75F : 0.5F;
  return one;
}

double bf16_value(float value) {
  return double{to_float(to_bfloat16(value))};
}

std::vector<std::uint16_t> narrow(const std::vector<float>& values) {
  std::vector<std::uint16_t> result;
  for (const float value : values) result.push_back(to_bfloat16(value).bits);
  return result;
}

/// `values`, or the same in bfloat16.
InputImage image_of(const std::vector<float>& values, const std::vector<std::uint16_t>& narrowed,
                    bool is_narrow) {
  if (values.empty()) return {};
  return is_narrow ? InputImage{.bfloat16 = narrowed.data()} : InputImage{.floats = values.data()};
}

std::vector<float> run_conv(const Bf16ConvCase& one, Isa isa, int threads) {
  ThreadPool pool(threads);
  Workers workers(pool, threads);
  const ConvSizes& sizes = one.sizes;
  const std::int64_t pixels = sizes.out[1] * sizes.out[2];
  const std::vector<float> x = one.from_nchw ? one.x
                                             : blocked_image(one.x, sizes.batch, sizes.channels_in,
                                                             sizes.in[1] * sizes.in[2]);
  AlignedBuffer packed = test::bytes(packed_bf16_conv_bytes(sizes, one.from_nchw));
  pack_bf16_conv_weights(sizes, one.from_nchw, one.weights.data(), isa, packed.as<std::uint16_t>(),
                         workers);
  const bool has_narrow_x = one.has_narrow_x && !one.from_nchw;
  const Bf16ConvPlan plan(sizes, one.from_nchw, has_narrow_x, isa);
  AlignedBuffer workspace = test::bytes(plan.workspace_bytes());
  std::memset(workspace.data(), 0xFF, static_cast<std::size_t>(plan.workspace_bytes()));
  std::vector<float> y(static_cast<std::size_t>(
                           sizes.batch * blocks_of_channels(sizes.channels_out) * pixels * lanes),
                       12345.0F);
  const std::vector<std::uint16_t> narrow_x = narrow(x);
  const std::vector<std::uint16_t> narrow_residual = narrow(one.residual);
  std::vector<std::uint16_t> narrow_y = narrow(y);
  plan.run(
      image_of(x, narrow_x, has_narrow_x), packed.as<std::uint16_t>(),
      image_of(one.residual, narrow_residual, one.has_narrow_residual),
      one.has_narrow_y ? OutputImage{.bfloat16 = narrow_y.data()} : OutputImage{.floats = y.data()},
      one.epilogue, isa, workspace.data(), workers);
  if (!one.has_narrow_y) return y;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = to_float(BFloat16Bits{narrow_y[i]});
  return y;
}

/// The largest excess of an element's error over the allowed one, padding channels included.
double worst_conv_excess(const Bf16ConvCase& one, const std::vector<float>& y) {
  const ConvSizes& sizes = one.sizes;
  const std::int64_t pixels = sizes.out[1] * sizes.out[2];
  const std::int64_t taps = sizes.kernel[1] * sizes.kernel[2];
  double worst = -1;
  const auto compare = [&](std::int64_t image, std::int64_t channel, std::int64_t pixel) {
    double sum = 0;
    double magnitude = 0;
    for (std::int64_t i = 0; i < taps * sizes.channels_in; ++i) {
      const std::int64_t tap = i % taps;
      const std::int64_t row = pixel / sizes.out[2] * sizes.stride[1] - sizes.pad[1] +
                               tap / sizes.kernel[2] * sizes.dilation[1];
      const std::int64_t column = pixel % sizes.out[2] * sizes.stride[2] - sizes.pad[2] +
                                  tap % sizes.kernel[2] * sizes.dilation[2];
      if (row < 0 || row >= sizes.in[1] || column < 0 || column >= sizes.in[2]) continue;
      const auto at = static_cast<std::size_t>(
          ((image * sizes.channels_in + i / taps) * sizes.in[1] + row) * sizes.in[2] + column);
      const auto weight =
          static_cast<std::size_t>((channel * sizes.channels_in + i / taps) * taps + tap);
      const double term = bf16_value(one.x[at]) * bf16_value(one.weights[weight]);
      sum += term;
      magnitude += std::fabs(term);
    }
    const std::size_t place = blocked_place(image, channel, sizes.channels_out, pixel, pixels);
    const double bias = one.bias.empty() ? 0.0 : one.bias[static_cast<std::size_t>(channel)];
    double residual = one.residual.empty() ? 0.0 : one.residual[place];
    if (one.has_narrow_residual) residual = bf16_value(static_cast<float>(residual));
    sum += bias + residual;
    magnitude += std::fabs(bias) + std::fabs(residual);
    double allowed = test::allowed_error(taps * sizes.channels_in, magnitude);
    if (one.epilogue.activation == Activation::hard_swish) allowed *= 1.0 + std::fabs(sum);
    const double wanted = activated(sum, one.epilogue);
    if (one.has_narrow_y) allowed += (std::fabs(wanted) + allowed) / 256;
    const double error = std::fabs(wanted - y[place]);
    worst = std::max(worst, std::isnan(error) ? 1e30 : error - allowed);
  };
  for (std::int64_t image = 0; image < sizes.batch; ++image) {
    for (std::int64_t channel = 0; channel < sizes.channels_out; ++channel) {
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) compare(image, channel, pixel);
    }
    const std::int64_t stored = blocks_of_channels(sizes.channels_out) * lanes;
    for (std::int64_t channel = sizes.channels_out; channel < stored; ++channel) {
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        const std::size_t at = blocked_place(image, channel, sizes.channels_out, pixel, pixels);
        worst = std::max(worst, y[at] == 0.0F ? -1.0 : 1e30);
      }
    }
  }
  return worst;
}

/// A window of random size on an image of about `side` x `side`.
ConvSizes random_conv(RandomValues& numbers, std::int64_t side) {
  ConvSizes sizes;
  sizes.batch = numbers.between(1, 2);
  sizes.channels_in = numbers.between(1, 70);
  sizes.channels_out = numbers.between(1, 120);
  for (int axis = 1; axis < 3; ++axis) {
    sizes.kernel[axis] = numbers.between(1, 4);
    sizes.stride[axis] = numbers.between(1, 3);
    sizes.dilation[axis] = numbers.between(1, 2);
    sizes.pad[axis] = numbers.between(0, 2);
    const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
    sizes.in[axis] = reach + numbers.between(0, side);
    const std::int64_t behind = numbers.between(0, 2);
    sizes.out[axis] = (sizes.in[axis] + sizes.pad[axis] + behind - reach) / sizes.stride[axis] + 1;
  }
  return sizes;
}

void check_conv(RandomValues& numbers, const ConvSizes& sizes, bool from_nchw = false) {
  Bf16ConvCase one = make_conv_case(numbers, sizes);
  one.from_nchw = from_nchw;
  CAPTURE(sizes.batch, sizes.channels_in, sizes.channels_out, sizes.in[1], sizes.in[2]);
  CAPTURE(one.has_narrow_x, one.has_narrow_residual, one.has_narrow_y);
  CAPTURE(sizes.kernel[1], sizes.kernel[2], sizes.stride[1], sizes.stride[2], sizes.dilation[1],
          sizes.dilation[2], sizes.pad[1], sizes.pad[2]);
  REQUIRE(can_use_bf16_conv(sizes, from_nchw));
  for (const Isa isa : test::isas_here()) {
    if (!has_bf16_gemm(isa)) continue;
    CAPTURE(isa_name(isa));
    const std::vector<float> y = run_conv(one, isa, 1);
    REQUIRE(worst_conv_excess(one, y) <= 0);
    for (const int threads : {2, 4}) {
      const std::vector<float> again = run_conv(one, isa, threads);
      REQUIRE(std::memcmp(y.data(), again.data(), y.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("bfloat16 convolution agrees with sums in double for random windows", "[conv]") {
  const std::uint32_t seed = 20270;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 40; ++round) check_conv(numbers, random_conv(numbers, 9));
}

TEST_CASE("bfloat16 convolution agrees with sums in double in several strips", "[conv]") {
  RandomValues numbers(20271);
  ConvSizes sizes;
  sizes.channels_in = 40;
  sizes.channels_out = 20;
  for (int axis = 1; axis < 3; ++axis) {
    sizes.kernel[axis] = 3;
    sizes.pad[axis] = 1;
  }
  sizes.in[1] = sizes.out[1] = 37;
  sizes.in[2] = sizes.out[2] = 300;
  check_conv(numbers, sizes);
}

TEST_CASE("bfloat16 convolution of NCHW images agrees with sums in double", "[conv]") {
  RandomValues numbers(20273);
  for (int round = 0; round < 40; ++round) {
    ConvSizes sizes = random_conv(numbers, 30);
    sizes.channels_in = numbers.between(1, 4);
    sizes.in[2] -= (sizes.kernel[2] - 1) * (sizes.dilation[2] - 1);
    sizes.dilation[2] = 1;
    check_conv(numbers, sizes, true);
  }
  ConvSizes first;
  first.channels_in = 3;
  first.channels_out = 64;
  for (int axis = 1; axis < 3; ++axis) {
    first.kernel[axis] = 7;
    first.stride[axis] = 2;
    first.pad[axis] = 3;
    first.in[axis] = 96 * axis;
    first.out[axis] = 48 * axis;
  }
  check_conv(numbers, first, true);
}

TEST_CASE("bfloat16 pointwise convolution agrees with sums in double", "[conv]") {
  RandomValues numbers(20272);
  for (const std::int64_t side : {1, 7, 14, 37}) {
    for (const std::int64_t channels_in : {24, 96, 100}) {
      ConvSizes sizes;
      sizes.batch = 2;
      sizes.channels_in = channels_in;
      sizes.channels_out = 33;
      for (int axis = 1; axis < 3; ++axis) sizes.in[axis] = sizes.out[axis] = side;
      for (int round = 0; round < 4; ++round) check_conv(numbers, sizes);
    }
  }
  // Two strips, in place.
  ConvSizes large;
  large.channels_in = 64;
  large.channels_out = 17;
  large.in[1] = large.out[1] = 101;
  large.in[2] = large.out[2] = 90;
  for (int round = 0; round < 4; ++round) check_conv(numbers, large);
}

}  // namespace
}  // namespace ortool::cpu
