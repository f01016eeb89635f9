// Tests every float32 convolution algorithm at every ISA level against sums in double.
#include "kernels/cpu/conv/f32_nchw/conv.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchw/direct_tile.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::activated;
using test::product;
using test::RandomValues;

struct Case {
  ConvSizes sizes;
  std::vector<float> x;
  std::vector<float> weights;
  std::vector<float> bias;
  std::vector<float> residual;
  Epilogue epilogue;
};

/// Random sizes of one axis that are consistent; the padding may be asymmetric.
void pick_axis(RandomValues& numbers, ConvSizes& sizes, int axis, std::int64_t max_kernel) {
  sizes.kernel[axis] = numbers.between(1, max_kernel);
  sizes.stride[axis] = numbers.between(1, 3);
  sizes.dilation[axis] = numbers.between(1, 2);
  const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
  sizes.pad[axis] = numbers.between(0, reach - 1);
  const std::int64_t pad_behind = numbers.between(0, reach - 1);
  sizes.in[axis] = numbers.between(1, axis == 0 ? 6 : 24);
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
  if (numbers.flip()) {
    one.bias = numbers.floats(sizes.channels_out);
    one.epilogue.addend = Addend::per_row;
    one.epilogue.added = one.bias.data();
  }
  if (numbers.flip()) {
    one.residual = numbers.floats(sizes.batch * sizes.channels_out * product(sizes.out));
    one.epilogue.residual = one.residual.data();
  }
  one.epilogue.activation = static_cast<Activation>(numbers.between(0, 7));
  if (one.epilogue.activation >= Activation::gelu) one.epilogue.residual = nullptr;
  one.epilogue.low = one.epilogue.activation == Activation::clip ? -0.5F : 0.1F;
  one.epilogue.high = 0.75F;
}

struct Expected {
  std::vector<double> value;
  std::vector<double> allowed;
};

Expected expect(const Case& one) {
  const ConvSizes& s = one.sizes;
  const std::int64_t group_in = s.channels_in / s.groups;
  const std::int64_t group_out = s.channels_out / s.groups;
  Expected expected;
  for (std::int64_t image = 0; image < s.batch; ++image) {
    for (std::int64_t channel = 0; channel < s.channels_out; ++channel) {
      for (std::int64_t pixel = 0; pixel < product(s.out); ++pixel) {
        const std::int64_t at[3] = {pixel / s.out[2] / s.out[1], pixel / s.out[2] % s.out[1],
                                    pixel % s.out[2]};
        double sum = 0;
        double magnitude = 0;
        for (std::int64_t c = 0; c < group_in; ++c) {
          for (std::int64_t k = 0; k < product(s.kernel); ++k) {
            const std::int64_t kernel[3] = {k / s.kernel[2] / s.kernel[1],
                                            k / s.kernel[2] % s.kernel[1], k % s.kernel[2]};
            std::int64_t offset = (image * s.channels_in + channel / group_out * group_in + c);
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis) {
              const std::int64_t place =
                  at[axis] * s.stride[axis] - s.pad[axis] + kernel[axis] * s.dilation[axis];
              inside = inside && place >= 0 && place < s.in[axis];
              offset = offset * s.in[axis] + place;
            }
            if (!inside) continue;
            const std::int64_t weight = (channel * group_in + c) * product(s.kernel) + k;
            const double term = double{one.x[static_cast<std::size_t>(offset)]} *
                                one.weights[static_cast<std::size_t>(weight)];
            sum += term;
            magnitude += std::fabs(term);
          }
        }
        const std::size_t out = expected.value.size();
        if (one.epilogue.addend != Addend::none) {
          sum += one.epilogue.added[channel];
          magnitude += std::fabs(one.epilogue.added[channel]);
        }
        if (one.epilogue.residual != nullptr) {
          sum += one.epilogue.residual[out];
          magnitude += std::fabs(one.epilogue.residual[out]);
        }
        expected.value.push_back(activated(sum, one.epilogue));
        expected.allowed.push_back(test::allowed_error(group_in * product(s.kernel), magnitude));
      }
    }
  }
  return expected;
}

std::vector<float> run(const Case& one, ConvPath path, Isa isa, int threads) {
  ThreadPool pool(threads);
  Workers workers(pool, threads);
  constexpr std::int64_t guard = 32;
  constexpr float untouched = 12345.0F;
  const std::int64_t count = one.sizes.batch * one.sizes.channels_out * product(one.sizes.out);
  std::vector<float> y(static_cast<std::size_t>(count + guard), untouched);
  AlignedBuffer packed = test::bytes(packed_conv_weight_bytes(one.sizes, path, isa));
  pack_conv_weights(one.sizes, path, one.weights.data(), isa, packed.as<float>(), workers);
  AlignedBuffer workspace = test::bytes(conv_workspace_bytes(one.sizes, path, isa, threads));
  conv(one.sizes, path, one.x.data(), packed.as<float>(), y.data(), one.epilogue, isa,
       workspace.data(), workers);
  for (std::int64_t i = count; i < count + guard; ++i) {
    REQUIRE(y[static_cast<std::size_t>(i)] == untouched);
  }
  y.resize(static_cast<std::size_t>(count));
  return y;
}

std::vector<ConvPath> paths_for(const ConvSizes& sizes) {
  std::vector<ConvPath> paths = {ConvPath::columns, ConvPath::rows};
  if (sizes.channels_in == sizes.groups) paths.push_back(ConvPath::depthwise);
  if (is_direct(sizes)) paths.push_back(ConvPath::direct);
  if (is_winograd(sizes)) paths.push_back(ConvPath::winograd);
  return paths;
}

void check(const Case& one) {
  const ConvSizes& s = one.sizes;
  CAPTURE(s.batch, s.groups, s.channels_in, s.channels_out, s.in, s.out, s.kernel, s.stride,
          s.dilation, s.pad, static_cast<int>(one.epilogue.activation), one.bias.size(),
          one.residual.size());
  const Expected expected = expect(one);
  for (const ConvPath path : paths_for(s)) {
    for (const Isa isa : test::isas_here()) {
      CAPTURE(conv_path_name(path), isa_name(isa));
      const std::vector<float> y = run(one, path, isa, 1);
      REQUIRE(y.size() == expected.value.size());
      std::optional<std::size_t> wrong;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double allowed =
            path == ConvPath::winograd ? expected.allowed[i] * 8 : expected.allowed[i];
        if (!(std::fabs(double{y[i]} - expected.value[i]) <= allowed)) wrong = i;
      }
      if (wrong) {
        CAPTURE(*wrong, y[*wrong], expected.value[*wrong]);
        FAIL("an element is too far off");
      }
      for (const int threads : {2, 4, 8}) {
        const std::vector<float> again = run(one, path, isa, threads);
        REQUIRE(std::memcmp(y.data(), again.data(), y.size() * sizeof(float)) == 0);
      }
    }
  }
}

TEST_CASE("Convolutions of one to three dimensions agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20265;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round) {
    Case one;
    ConvSizes& sizes = one.sizes;
    const std::int64_t rank = numbers.between(1, 3);
    sizes.batch = numbers.between(1, 3);
    sizes.groups = numbers.between(1, 3);
    sizes.channels_in = sizes.groups * numbers.between(1, 5);
    sizes.channels_out = sizes.groups * numbers.between(1, 19);
    for (std::int64_t axis = 3 - rank; axis < 3; ++axis) {
      pick_axis(numbers, sizes, static_cast<int>(axis), axis == 0 ? 2 : 4);
    }
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("Pointwise convolutions agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20266;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 12; ++round) {
    Case one;
    one.sizes.batch = numbers.between(1, 2);
    one.sizes.channels_in = numbers.between(1, 300);
    one.sizes.channels_out = numbers.between(1, 70);
    one.sizes.in[1] = one.sizes.out[1] = numbers.between(1, 20);
    one.sizes.in[2] = one.sizes.out[2] = numbers.between(1, 20);
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("Convolutions of few output channels have the bits of packed windows", "[conv]") {
  const std::uint32_t seed = 20270;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round) {
    Case one;
    ConvSizes& sizes = one.sizes;
    sizes.batch = numbers.between(1, 2);
    sizes.groups = numbers.between(1, 2);
    sizes.channels_in = sizes.groups * numbers.between(1, 5);
    sizes.channels_out = sizes.groups * numbers.between(1, max_direct_channels);
    if (numbers.flip()) pick_axis(numbers, sizes, 1, 4);
    sizes.kernel[2] = numbers.between(1, 9);
    sizes.dilation[2] = numbers.between(1, 2);
    const std::int64_t reach = (sizes.kernel[2] - 1) * sizes.dilation[2] + 1;
    sizes.pad[2] = numbers.between(0, reach - 1);
    sizes.in[2] = reach + numbers.between(0, 120);
    sizes.out[2] = sizes.in[2] + sizes.pad[2] + numbers.between(0, reach - 1) - reach + 1;
    fill(numbers, one);
    REQUIRE(is_direct(sizes));
    check(one);
    for (const Isa isa : test::isas_here()) {
      CAPTURE(isa_name(isa), sizes.in, sizes.out, sizes.kernel, sizes.pad);
      const std::vector<float> direct = run(one, ConvPath::direct, isa, 1);
      const std::vector<float> columns = run(one, ConvPath::columns, isa, 1);
      REQUIRE(std::memcmp(direct.data(), columns.data(), direct.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("Depthwise convolutions agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20267;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (const std::int64_t kernel : {3, 5}) {
    for (const std::int64_t stride : {1, 2}) {
      for (int round = 0; round < 8; ++round) {
        Case one;
        ConvSizes& sizes = one.sizes;
        sizes.batch = numbers.between(1, 2);
        sizes.groups = sizes.channels_in = numbers.between(1, 9);
        sizes.channels_out = sizes.groups * numbers.between(1, 2);
        for (const int axis : {1, 2}) {
          sizes.kernel[axis] = kernel;
          sizes.stride[axis] = stride;
          sizes.pad[axis] = numbers.between(0, kernel - 1);
          sizes.in[axis] = numbers.between(kernel, 60);
          const std::int64_t pad_behind = numbers.between(0, kernel - 1);
          sizes.out[axis] = (sizes.in[axis] + sizes.pad[axis] + pad_behind - kernel) / stride + 1;
        }
        fill(numbers, one);
        check(one);
      }
    }
  }
}

TEST_CASE("Depthwise convolutions of any kernel fuse products and sums as others do", "[conv]") {
  const std::uint32_t seed = 20269;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round) {
    Case one;
    ConvSizes& sizes = one.sizes;
    const std::int64_t rank = numbers.between(1, 3);
    sizes.batch = numbers.between(1, 2);
    sizes.groups = sizes.channels_in = numbers.between(1, 5);
    sizes.channels_out = sizes.groups * numbers.between(1, 3);
    for (std::int64_t axis = 3 - rank; axis < 3; ++axis) {
      pick_axis(numbers, sizes, static_cast<int>(axis), axis == 0 ? 2 : 7);
      if (numbers.flip()) {
        sizes.in[axis] += 30;
        sizes.out[axis] += 30 / sizes.stride[axis];
      }
    }
    fill(numbers, one);
    check(one);
    CAPTURE(sizes.in, sizes.out, sizes.kernel, sizes.stride, sizes.dilation, sizes.pad);
    for (const Isa isa : test::isas_here()) {
      CAPTURE(isa_name(isa));
      REQUIRE(run(one, ConvPath::depthwise, isa, 1) == run(one, ConvPath::columns, isa, 1));
    }
  }
}

TEST_CASE("Convolutions as in known networks agree with sums in double", "[conv]") {
  const std::uint32_t seed = 20268;
  CAPTURE(seed);
  RandomValues numbers(seed);
  struct Layer {
    std::int64_t in;
    std::int64_t channels_in;
    std::int64_t channels_out;
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t pad;
  };
  for (const Layer& layer :
       {Layer{40, 3, 32, 7, 2, 3}, Layer{33, 3, 24, 3, 2, 1}, Layer{28, 16, 40, 3, 1, 1},
        Layer{14, 40, 33, 3, 1, 1}, Layer{7, 64, 48, 3, 1, 1}, Layer{30, 8, 20, 5, 1, 2},
        Layer{28, 24, 30, 1, 2, 0}, Layer{67, 33, 31, 3, 1, 1}, Layer{19, 300, 5, 3, 1, 0}}) {
    Case one;
    ConvSizes& sizes = one.sizes;
    sizes.channels_in = layer.channels_in;
    sizes.channels_out = layer.channels_out;
    for (const int axis : {1, 2}) {
      sizes.in[axis] = layer.in;
      sizes.kernel[axis] = layer.kernel;
      sizes.stride[axis] = layer.stride;
      sizes.pad[axis] = layer.pad;
      sizes.out[axis] = (layer.in + 2 * layer.pad - layer.kernel) / layer.stride + 1;
    }
    fill(numbers, one);
    check(one);
  }
}

TEST_CASE("A convolution of no images touches nothing", "[conv]") {
  Workers workers;
  ConvSizes sizes;
  sizes.batch = 0;
  sizes.channels_in = 3;
  sizes.channels_out = 4;
  sizes.in[2] = sizes.out[2] = 5;
  for (const Isa isa : test::isas_here()) {
    for (const ConvPath path : {ConvPath::columns, ConvPath::rows}) {
      const std::vector<float> weights(12, 1.0F);
      AlignedBuffer packed = test::bytes(packed_conv_weight_bytes(sizes, path, isa));
      pack_conv_weights(sizes, path, weights.data(), isa, packed.as<float>(), workers);
      AlignedBuffer workspace = test::bytes(conv_workspace_bytes(sizes, path, isa, 1));
      float y = 7.0F;
      conv(sizes, path, nullptr, packed.as<float>(), &y, {}, isa, workspace.data(), workers);
      REQUIRE(y == 7.0F);
    }
  }
}

TEST_CASE("The path of a convolution follows from its channels and pixels", "[conv]") {
  ConvSizes sizes;
  sizes.channels_in = sizes.channels_out = sizes.groups = 32;
  sizes.out[1] = sizes.out[2] = 56;
  REQUIRE(choose_conv_path(sizes) == ConvPath::depthwise);
  sizes.groups = 1;
  REQUIRE(choose_conv_path(sizes) == ConvPath::columns);
  sizes.kernel[1] = sizes.kernel[2] = 3;
  REQUIRE(choose_conv_path(sizes) == ConvPath::winograd);
  sizes.stride[2] = 2;
  REQUIRE(choose_conv_path(sizes) == ConvPath::columns);
  sizes.out[1] = sizes.out[2] = 7;
  REQUIRE(choose_conv_path(sizes) == ConvPath::rows);
}

}  // namespace
}  // namespace ortool::cpu
