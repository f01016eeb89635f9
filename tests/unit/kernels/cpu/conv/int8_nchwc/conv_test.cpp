// Int8 NCHWc convolutions and pools give the same results as NCHW ones.
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/conv/reorder_int8.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"
#include "kernels/cpu/pooling/pool_int8_nchwc.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::product;

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(test::RandomValues& numbers, std::int64_t count) {
  Bytes result(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : result) byte = static_cast<std::uint8_t>(numbers.between(0, 255));
  return result;
}

/// Bytes whose sums of products are farthest from zero, signed or not.
Bytes extreme_bytes(test::RandomValues& numbers, std::int64_t count) {
  constexpr std::array<std::uint8_t, 6> extremes = {0, 255, 255, 127, 128, 129};
  Bytes result(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : result)
    byte = extremes[static_cast<std::size_t>(numbers.between(0, 5))];
  return result;
}

void pick_axis(test::RandomValues& numbers, ConvSizes& sizes, int axis) {
  sizes.kernel[axis] = numbers.between(1, 5);
  sizes.stride[axis] = numbers.between(1, 3);
  sizes.dilation[axis] = numbers.between(1, 4) == 4 ? 2 : 1;
  const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
  sizes.pad[axis] = numbers.between(0, reach - 1);
  const std::int64_t pad_behind = numbers.between(0, reach - 1);
  sizes.in[axis] = numbers.between(reach, reach + 16);
  sizes.out[axis] =
      (sizes.in[axis] + sizes.pad[axis] + pad_behind - reach) / sizes.stride[axis] + 1;
}

struct Case {
  ConvSizes sizes;
  bool from_nchw = false;
  Int8ConvDesc desc;
  bool has_floats = false;
  bool is_signed = false;
  Bytes x;
  Bytes weights;
  std::vector<std::int32_t> biases;
  std::vector<float> weight_scales;
  std::vector<float> float_biases;
  std::int32_t image_zero = 0;
};

Case make_case(test::RandomValues& numbers) {
  Case one;
  ConvSizes& sizes = one.sizes;
  sizes.batch = numbers.between(1, 2);
  pick_axis(numbers, sizes, 2);
  if (numbers.flip()) pick_axis(numbers, sizes, 1);
  if (numbers.between(0, 3) == 0) {
    for (int axis = 1; axis < 3; ++axis) {
      sizes.kernel[axis] = sizes.stride[axis] = sizes.dilation[axis] = 1;
      sizes.pad[axis] = 0;
      sizes.out[axis] = sizes.in[axis];
    }
  }
  const std::int64_t kind = numbers.between(0, 2);
  one.from_nchw = kind == 0;
  if (one.from_nchw) sizes.dilation[2] = 1;
  if (one.from_nchw) {
    sizes.out[2] = (sizes.in[2] + 2 * sizes.pad[2] - sizes.kernel[2]) / sizes.stride[2] + 1;
  }
  sizes.channels_in = one.from_nchw ? numbers.between(1, 4) : numbers.between(1, 70);
  sizes.channels_out = kind == 2 ? sizes.channels_in : numbers.between(1, 70);
  if (kind == 2) sizes.groups = sizes.channels_in;
  one.desc.image_flip = numbers.flip() ? 128 : 0;
  one.desc.weight_flip = numbers.flip() ? 128 : 0;
  one.has_floats = numbers.flip();
  one.is_signed = numbers.flip();
  one.image_zero = static_cast<std::int32_t>(numbers.between(0, 255));
  const auto make_bytes = numbers.between(0, 3) == 0 ? extreme_bytes : random_bytes;
  one.x = make_bytes(numbers, sizes.batch * sizes.channels_in * product(sizes.in));
  one.weights = make_bytes(
      numbers, sizes.channels_out * sizes.channels_in / sizes.groups * product(sizes.kernel));
  for (std::int64_t i = 0; i < sizes.channels_out; ++i)
    one.biases.push_back(static_cast<std::int32_t>(numbers.between(-5000, 5000)));
  one.weight_scales = numbers.floats(sizes.channels_out, 0.001F, 0.01F);
  one.float_biases = numbers.floats(sizes.channels_out);
  return one;
}

/// Parameters of both kernels besides sizes.
struct Given {
  std::vector<std::int32_t> offsets;
  std::vector<float> scales;
  Int8ConvFloats floats;
  Int8ConvParams numbers;

  explicit Given(const Case& one) {
    const ConvSizes& sizes = one.sizes;
    const std::int64_t depth = sizes.channels_in / sizes.groups * product(sizes.kernel);
    offsets.resize(static_cast<std::size_t>((sizes.channels_out + 31) / 32 * 32));
    scales.resize(offsets.size());
    floats = {one.weight_scales.data(), one.float_biases.data(), 0.02F, 0.5F};
    for (std::int64_t i = 0; i < sizes.channels_out; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const std::int32_t sum =
          sum_signed_bytes(one.weights.data() + i * depth, depth, 1, one.desc.weight_flip);
      offsets[index] = one.biases[index] - one.image_zero * sum;
      scales[index] = floats.image_scale * one.weight_scales[index] / floats.out_scale;
    }
    numbers.image_zero = one.image_zero;
    numbers.biases = one.biases.data();
    numbers.epilogue.output = EpilogueOutput::int8;
    numbers.epilogue.offsets = offsets.data();
    numbers.epilogue.scales = scales.data();
    numbers.epilogue.range =
        one.is_signed ? Int8Range{-118.0F, 137.0F, -10} : Int8Range{-20.0F, 200.0F, 20};
    if (one.has_floats) numbers.floats = &floats;
  }
};

Bytes reference_result(const Case& one, const Given& given, Isa isa) {
  const ConvSizes& sizes = one.sizes;
  AlignedBuffer packed = test::bytes(packed_int8_conv_bytes(sizes, isa));
  std::vector<std::int32_t> sums(static_cast<std::size_t>(sizes.channels_out));
  pack_int8_conv(sizes, one.weights.data(), one.desc.weight_flip, isa, packed.data(), sums.data());
  AlignedBuffer space = test::bytes(int8_conv_workspace_bytes(sizes, isa, 1));
  Bytes result(static_cast<std::size_t>(sizes.batch * sizes.channels_out * product(sizes.out)));
  Workers workers;
  int8_conv(sizes, one.x.data(), one.desc, packed.data(), given.numbers, result.data(), isa,
            space.data(), workers);
  return result;
}

Bytes blocked_result(const Case& one, const Given& given, const Int8ConvAlgorithm& algorithm,
                     Workers& workers) {
  const ConvSizes& sizes = one.sizes;
  AlignedBuffer packed = test::bytes(packed_nchwc_int8_conv_bytes(
      sizes, one.from_nchw, one.weights.data(), one.desc.weight_flip, algorithm));
  pack_nchwc_int8_conv(sizes, one.from_nchw, one.weights.data(), one.desc.weight_flip, algorithm,
                       packed.data());
  AlignedBuffer space = test::bytes(
      nchwc_int8_conv_workspace_bytes(sizes, one.from_nchw, algorithm, workers.count()));
  Bytes x = one.x;
  if (!one.from_nchw) {
    const ReorderSizes in{sizes.batch, sizes.channels_in, product(sizes.in), 16};
    const std::int64_t stored_in = (sizes.channels_in + 15) / 16 * 16;
    x.assign(static_cast<std::size_t>(sizes.batch * stored_in * product(sizes.in)),
             std::uint8_t{0});
    reorder_int8_to_nchwc(in, one.x.data(), x.data(), workers);
  }
  const std::int64_t stored = (sizes.channels_out + 15) / 16 * 16;
  Bytes y(static_cast<std::size_t>(sizes.batch * stored * product(sizes.out)));
  nchwc_int8_conv(sizes, one.from_nchw, x.data(), one.desc, packed.data(), given.numbers, y.data(),
                  algorithm, space.data(), workers);
  Bytes result(static_cast<std::size_t>(sizes.batch * sizes.channels_out * product(sizes.out)));
  reorder_int8_to_nchw({sizes.batch, sizes.channels_out, product(sizes.out), 16}, y.data(),
                       result.data(), workers);
  return result;
}

TEST_CASE("blocked convolutions of bytes give the bytes of plain ones on each level") {
  test::RandomValues numbers(5);
  Workers workers;
  std::int64_t checked = 0;
  for (int i = 0; i < 300; ++i) {
    const Case one = make_case(numbers);
    INFO("case " << i);
    const Given given(one);
    const Bytes expected = reference_result(one, given, Isa::baseline);
    for (const Isa isa : test::isas_here()) CHECK(reference_result(one, given, isa) == expected);
    for (const Isa isa : test::isas_here()) {
      if (!has_nchwc_int8_conv(one.sizes, one.from_nchw, isa)) continue;
      CAPTURE(isa_name(isa));
      CHECK(blocked_result(one, given, {isa}, workers) == expected);
      ++checked;
    }
  }
  CHECK((checked > 200 || nchwc_int8_functions(best_isa()) == nullptr));
}

/// An image large enough for several strips and calls.
Case large_case(test::RandomValues& numbers, std::int64_t channels_in, std::int64_t channels_out,
                std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
  Case one = make_case(numbers);
  one.from_nchw = channels_in <= 4;
  one.sizes = {};
  one.sizes.batch = 1;
  one.sizes.groups = 1;
  one.sizes.channels_in = channels_in;
  one.sizes.channels_out = channels_out;
  for (int axis = 0; axis < 3; ++axis) {
    const bool is_there = axis > 0;
    one.sizes.in[axis] = is_there ? 60 + axis : 1;
    one.sizes.kernel[axis] = is_there ? kernel : 1;
    one.sizes.stride[axis] = is_there ? stride : 1;
    one.sizes.dilation[axis] = is_there && channels_in > 4 ? dilation : 1;
    one.sizes.pad[axis] = is_there ? kernel / 2 : 0;
    one.sizes.out[axis] = (one.sizes.in[axis] + 2 * one.sizes.pad[axis] -
                           (one.sizes.kernel[axis] - 1) * one.sizes.dilation[axis] - 1) /
                              one.sizes.stride[axis] +
                          1;
  }
  one.has_floats = true;
  one.x = random_bytes(numbers, channels_in * product(one.sizes.in));
  one.weights = random_bytes(numbers, channels_out * channels_in * kernel * kernel);
  one.biases.assign(static_cast<std::size_t>(channels_out), 100);
  one.weight_scales = numbers.floats(channels_out, 0.001F, 0.01F);
  one.float_biases = numbers.floats(channels_out);
  return one;
}

TEST_CASE("large blocked convolutions of bytes give the same bytes on each level by many threads") {
  test::RandomValues numbers(8);
  ThreadPool pool(4);
  for (const auto& [in, out, kernel, stride, dilation] :
       {std::array{64, 40, 3, 1, 1}, std::array{130, 33, 1, 1, 1}, std::array{70, 16, 3, 2, 1},
        std::array{100, 70, 1, 2, 1}, std::array{20, 48, 5, 1, 2}, std::array{3, 32, 7, 2, 1}}) {
    const Case one = large_case(numbers, in, out, kernel, stride, dilation);
    CAPTURE(in, out, kernel, stride, dilation);
    const Given given(one);
    Bytes expected;
    for (const Isa isa : test::isas_here()) {
      if (!has_nchwc_int8_conv(one.sizes, one.from_nchw, isa)) continue;
      for (const int threads : {1, 4}) {
        Workers workers(pool, threads);
        const Bytes found = blocked_result(one, given, {isa}, workers);
        if (expected.empty()) expected = reference_result(one, given, isa);
        CHECK(found == expected);
      }
    }
  }
}

/// A depthwise convolution whose result is as large as its image.
Case depthwise_case(test::RandomValues& numbers, std::int64_t channels) {
  Case one = make_case(numbers);
  one.from_nchw = false;
  one.has_floats = true;
  ConvSizes& sizes = one.sizes;
  sizes = {};
  sizes.batch = numbers.between(1, 2);
  sizes.groups = sizes.channels_in = sizes.channels_out = channels;
  for (const int axis : {1, 2}) {
    sizes.kernel[axis] = 2 * numbers.between(0, 2) + 1;
    sizes.dilation[axis] = numbers.between(1, 2);
    sizes.pad[axis] = (sizes.kernel[axis] - 1) * sizes.dilation[axis] / 2;
    sizes.in[axis] = sizes.out[axis] = numbers.between(5, 60);
  }
  one.x = random_bytes(numbers, sizes.batch * channels * product(sizes.in));
  one.weights = random_bytes(numbers, channels * product(sizes.kernel));
  one.biases.assign(static_cast<std::size_t>(channels), 100);
  // Of powers of two, so that many results are rounding ties.
  one.weight_scales.assign(static_cast<std::size_t>(channels), 0x1p-5F);
  one.float_biases = numbers.floats(channels);
  return one;
}

TEST_CASE("a depthwise convolution of bytes may overwrite its image") {
  test::RandomValues numbers(11);
  ThreadPool pool(3);
  std::int64_t checked = 0;
  for (int i = 0; i < 12; ++i) {
    const Case one = depthwise_case(numbers, numbers.between(2, 200));
    const ConvSizes& sizes = one.sizes;
    Given given(one);
    given.floats.image_scale = 0x1p-4F;
    for (std::size_t k = 0; k < given.scales.size(); ++k) given.scales[k] = 0x1p-8F;
    CAPTURE(sizes.channels_in, sizes.in, sizes.kernel, sizes.dilation);
    const ReorderSizes form{sizes.batch, sizes.channels_in, product(sizes.in), 16};
    const std::int64_t bytes = sizes.batch * (sizes.channels_in + 15) / 16 * 16 * product(sizes.in);
    for (const Isa isa : test::isas_here()) {
      const Int8ConvAlgorithm algorithm = {isa};
      for (const int threads : {1, 3}) {
        if (!has_nchwc_int8_conv(sizes, false, isa) ||
            !can_overwrite_nchwc_int8_conv(sizes, false, algorithm, threads))
          continue;
        Workers workers(pool, threads);
        AlignedBuffer packed = test::bytes(
            packed_nchwc_int8_conv_bytes(sizes, false, one.weights.data(), 0, algorithm));
        pack_nchwc_int8_conv(sizes, false, one.weights.data(), one.desc.weight_flip, algorithm,
                             packed.data());
        AlignedBuffer space =
            test::bytes(nchwc_int8_conv_workspace_bytes(sizes, false, algorithm, threads));
        AlignedBuffer image = test::bytes(2 * bytes);
        reorder_int8_to_nchwc(form, one.x.data(), image.as<std::uint8_t>(), workers);
        nchwc_int8_conv(sizes, false, image.as<std::uint8_t>(), one.desc, packed.data(),
                        given.numbers, image.as<std::uint8_t>(), algorithm, space.data(), workers);
        Bytes result(one.x.size());
        reorder_int8_to_nchw(form, image.as<std::uint8_t>(), result.data(), workers);
        CHECK(result == reference_result(one, given, isa));
        ++checked;
      }
    }
  }
  const NchwcInt8Functions* functions = nchwc_int8_functions(best_isa());
  CHECK((checked > 0 || functions == nullptr || functions->columns != nullptr));
}

TEST_CASE("3 x 3 windows of bytes have the same sums after Winograd") {
  test::RandomValues numbers(9);
  ThreadPool pool(4);
  std::int64_t checked = 0;
  for (const auto& [in, out, edge] : {std::array{16, 16, 6}, std::array{5, 33, 13},
                                      std::array{70, 20, 30}, std::array{130, 64, 61}}) {
    for (int i = 0; i < 4; ++i) {
      Case one = large_case(numbers, in, out, 3, 1, 1);
      ConvSizes& sizes = one.sizes;
      sizes.batch = i % 2 + 1;
      sizes.pad[1] = i / 2;
      sizes.in[1] = edge;
      sizes.in[2] = edge + i;
      sizes.out[1] = edge + 2 * (i / 2) - 2;
      sizes.out[2] = edge + i;
      const auto make_bytes = i == 0 ? extreme_bytes : random_bytes;
      one.x = make_bytes(numbers, sizes.batch * in * product(sizes.in));
      one.weights = make_bytes(numbers, std::int64_t{out} * in * 9);
      one.from_nchw = false;
      const Given given(one);
      const Bytes expected = reference_result(one, given, best_isa());
      for (const Isa isa : test::isas_here()) {
        if (!has_nchwc_int8_conv(sizes, false, isa)) continue;
        const Int8ConvAlgorithm algorithm =
            choose_int8_conv_algorithm(sizes, false, one.weights.data(), one.desc.weight_flip, isa);
        checked += algorithm.is_winograd ? 1 : 0;
        for (const int threads : {1, 4}) {
          Workers workers(pool, threads);
          CAPTURE(in, out, i, isa_name(isa), threads);
          CHECK(blocked_result(one, given, algorithm, workers) == expected);
        }
      }
    }
  }
  CHECK((checked >= 8 || best_isa() < Isa::avx2));
}

TEST_CASE("windows whose sums might not fit are not transformed") {
  Case one;
  ConvSizes& sizes = one.sizes;
  sizes.batch = 1;
  sizes.channels_in = 256;
  sizes.channels_out = 16;
  for (const int axis : {1, 2}) {
    sizes.kernel[axis] = 3;
    sizes.in[axis] = sizes.out[axis] = 64;
    sizes.pad[axis] = 1;
  }
  Bytes weights(std::size_t{256 * 16 * 9}, std::uint8_t{20});
  if (best_isa() < Isa::avx2) return;
  CHECK(choose_int8_conv_algorithm(sizes, false, weights.data(), 0, Isa::avx2).is_winograd);
  std::fill(weights.end() - 256 * 9, weights.end(), std::uint8_t{127});
  CHECK_FALSE(choose_int8_conv_algorithm(sizes, false, weights.data(), 0, Isa::avx2).is_winograd);
}

TEST_CASE("blocked bytes come back from blocks as they were") {
  test::RandomValues numbers(6);
  Workers workers;
  for (int i = 0; i < 50; ++i) {
    const ReorderSizes sizes{numbers.between(1, 3), numbers.between(1, 50), numbers.between(1, 150),
                             16};
    const Bytes plain = random_bytes(numbers, sizes.batch * sizes.channels * sizes.pixels);
    Bytes blocked(
        static_cast<std::size_t>(sizes.batch * ((sizes.channels + 15) / 16 * 16) * sizes.pixels));
    Bytes again(plain.size());
    reorder_int8_to_nchwc(sizes, plain.data(), blocked.data(), workers);
    reorder_int8_to_nchw(sizes, blocked.data(), again.data(), workers);
    CHECK(again == plain);
  }
}

TEST_CASE("pools of blocked bytes give the bytes of plain ones") {
  test::RandomValues numbers(7);
  Workers workers;
  for (int i = 0; i < 60; ++i) {
    const bool is_signed = numbers.flip();
    ConvSizes axes;
    pick_axis(numbers, axes, 1);
    pick_axis(numbers, axes, 2);
    NchwcPoolSizes sizes;
    sizes.batch = numbers.between(1, 2);
    sizes.channels = numbers.between(1, 40);
    PoolSizes& window = sizes.window;
    for (int axis = 1; axis < 3; ++axis) {
      window.in[axis] = axes.in[axis];
      window.out[axis] = axes.out[axis];
      window.kernel[axis] = axes.kernel[axis];
      window.stride[axis] = axes.stride[axis];
      window.dilation[axis] = axes.dilation[axis];
      window.pad_begin[axis] = axes.pad[axis];
    }
    window.planes = sizes.batch * sizes.channels;
    const std::int64_t pixels_in = product(window.in);
    const std::int64_t pixels_out = product(window.out);
    const Bytes x = random_bytes(numbers, window.planes * pixels_in);
    Bytes expected(static_cast<std::size_t>(window.planes * pixels_out));
    if (is_signed) {
      max_pool(window, reinterpret_cast<const std::int8_t*>(x.data()),
               reinterpret_cast<std::int8_t*>(expected.data()), nullptr, false, Isa::baseline,
               workers);
    } else {
      max_pool(window, x.data(), expected.data(), nullptr, false, Isa::baseline, workers);
    }
    const std::int64_t blocks = (sizes.channels + 15) / 16;
    Bytes blocked(static_cast<std::size_t>(sizes.batch * blocks * 16 * pixels_in));
    Bytes pooled(static_cast<std::size_t>(sizes.batch * blocks * 16 * pixels_out));
    reorder_int8_to_nchwc({sizes.batch, sizes.channels, pixels_in, 16}, x.data(), blocked.data(),
                          workers);
    window.planes = sizes.batch * blocks;
    max_pool_int8_nchwc(sizes, is_signed ? 128 : 0, blocked.data(), pooled.data(), workers);
    Bytes result(expected.size());
    reorder_int8_to_nchw({sizes.batch, sizes.channels, pixels_out, 16}, pooled.data(),
                         result.data(), workers);
    CHECK(result == expected);
  }
}

}  // namespace
}  // namespace ortool::cpu
