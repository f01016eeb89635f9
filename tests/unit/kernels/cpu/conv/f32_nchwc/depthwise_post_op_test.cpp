// Tests NCHWc convolutions with a depthwise post-op: the bits of the two convolutions one by one.
#include <algorithm>
#include <cstring>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::product;
using test::RandomValues;

/// A convolution with its weights, bias and activation.
struct PostOpConv {
  ConvSizes sizes;
  NchwcConvAlgorithm path = NchwcConvAlgorithm::direct;
  std::vector<float> weights;
  std::vector<float> bias;
  Epilogue epilogue;
};

struct PostOpCase {
  PostOpConv dense;
  PostOpConv depthwise;
  bool has_residual = false;
};

void pick_window(RandomValues& numbers, ConvSizes& sizes, int axis, std::int64_t in,
                 std::int64_t max_kernel, std::int64_t max_dilation) {
  sizes.in[axis] = in;
  sizes.kernel[axis] = numbers.between(1, max_kernel);
  sizes.stride[axis] = numbers.between(1, 2);
  sizes.dilation[axis] = numbers.between(1, max_dilation);
  const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
  sizes.pad[axis] = numbers.between(0, reach / 2);
  std::int64_t padded = in + sizes.pad[axis] + numbers.between(0, reach / 2);
  if (padded < reach) padded = reach;
  sizes.out[axis] = (padded - reach) / sizes.stride[axis] + 1;
}

void fill_conv(RandomValues& numbers, PostOpConv& conv) {
  const ConvSizes& s = conv.sizes;
  conv.weights = numbers.floats(s.channels_out * s.channels_in / s.groups * product(s.kernel));
  conv.bias = numbers.floats(s.channels_out);
  conv.bias.resize(conv.bias.size() + 16);
  std::fill(conv.bias.end() - 16, conv.bias.end(), 0.0F);
  conv.epilogue.activation = static_cast<Activation>(numbers.between(0, 7));
  conv.epilogue.low = conv.epilogue.activation == Activation::clip ? -0.5F : 0.2F;
  conv.epilogue.high = 0.75F;
}

class PostOpRun {
 public:
  PostOpRun(const PostOpCase& one, RandomValues& numbers, Isa isa)
      : one_(one), isa_(isa), block_(block_of(blocked_layout(isa))) {
    const ConvSizes& s = one.dense.sizes;
    const bool is_plain = one.dense.path == NchwcConvAlgorithm::from_nchw;
    x_ = filled(numbers,
                s.batch * (is_plain ? s.channels_in : stored(s.channels_in)) * product(s.in));
    const ConvSizes& d = one.depthwise.sizes;
    count_ = d.batch * stored(d.channels_out) * product(d.out);
    if (one.has_residual) residual_ = filled(numbers, count_);
    dense_weights_ = packed(one.dense);
    depthwise_weights_ = packed(one.depthwise);
  }

  std::vector<float> one_by_one() {
    const PostOpConv& dense = one_.dense;
    const PostOpConv& depthwise = one_.depthwise;
    Workers workers;
    AlignedBuffer space =
        test::bytes(std::max(nchwc_conv_workspace_bytes(dense.sizes, dense.path, isa_, 1),
                             nchwc_conv_workspace_bytes(depthwise.sizes, depthwise.path, isa_, 1)));
    AlignedBuffer between = test::bytes(dense.sizes.batch * stored(dense.sizes.channels_out) *
                                        product(dense.sizes.out) * 4);
    AlignedBuffer y = test::bytes(count_ * 4);
    conv_nchwc(dense.sizes, dense.path, {.floats = x_.as<float>()}, dense_weights_.as<float>(),
               {.floats = between.as<float>()}, epilogue_of(dense, nullptr), isa_, space.data(),
               workers);
    conv_nchwc(depthwise.sizes, depthwise.path, {.floats = between.as<float>()},
               depthwise_weights_.as<float>(), {.floats = y.as<float>()},
               epilogue_of(depthwise, residual()), isa_, space.data(), workers);
    return {y.as<float>(), y.as<float>() + count_};
  }

  std::vector<float> together(int threads) {
    const PostOpConv& dense = one_.dense;
    const PostOpConv& depthwise = one_.depthwise;
    ThreadPool pool(threads);
    Workers workers(pool, threads);
    constexpr float untouched = 12345.0F;
    constexpr std::int64_t behind = 16;
    AlignedBuffer y = test::bytes((count_ + behind) * 4);
    std::fill_n(y.as<float>(), count_ + behind, untouched);
    const std::int64_t bytes = nchwc_depthwise_post_op_workspace_bytes(
        dense.sizes, dense.path, depthwise.sizes, isa_, threads);
    AlignedBuffer space = test::bytes(bytes + behind * 4);
    std::fill_n(space.as<float>(), bytes / 4 + behind, untouched);
    conv_nchwc_with_depthwise(
        dense.sizes, dense.path, {.floats = x_.as<float>()}, dense_weights_.as<float>(),
        epilogue_of(dense, nullptr),
        {depthwise.sizes, depthwise_weights_.as<float>(), epilogue_of(depthwise, residual())},
        {.floats = y.as<float>()}, isa_, space.data(), workers);
    for (std::int64_t i = 0; i < behind; ++i) {
      REQUIRE(y.as<float>()[count_ + i] == untouched);
      REQUIRE(space.as<float>()[bytes / 4 + i] == untouched);
    }
    return {y.as<float>(), y.as<float>() + count_};
  }

 private:
  std::int64_t stored(std::int64_t channels) const {
    return (channels + block_ - 1) / block_ * block_;
  }
  const float* residual() const { return one_.has_residual ? residual_.as<float>() : nullptr; }
  static AlignedBuffer filled(RandomValues& numbers, std::int64_t count) {
    const std::vector<float> values = numbers.floats(count);
    AlignedBuffer buffer = test::bytes(count * 4);
    std::copy(values.begin(), values.end(), buffer.as<float>());
    return buffer;
  }
  AlignedBuffer packed(const PostOpConv& conv) const {
    Workers workers;
    AlignedBuffer buffer = test::bytes(packed_nchwc_weight_bytes(conv.sizes, conv.path, isa_));
    pack_nchwc_weights(conv.sizes, conv.path, conv.weights.data(), isa_, buffer.as<float>(),
                       workers);
    return buffer;
  }
  static Epilogue epilogue_of(const PostOpConv& conv, const float* residual) {
    Epilogue epilogue = conv.epilogue;
    epilogue.addend = Addend::per_row;
    epilogue.added = conv.bias.data();
    epilogue.residual = residual;
    return epilogue;
  }

  const PostOpCase& one_;
  Isa isa_;
  std::int64_t block_;
  std::int64_t count_ = 0;
  AlignedBuffer x_;
  AlignedBuffer residual_;
  AlignedBuffer dense_weights_;
  AlignedBuffer depthwise_weights_;
};

void check_same_bits(const PostOpCase& one, RandomValues& numbers) {
  const ConvSizes& s = one.dense.sizes;
  const ConvSizes& d = one.depthwise.sizes;
  CAPTURE(s.batch, s.channels_in, s.channels_out, s.in, s.out, s.kernel, s.stride, s.pad, d.out,
          d.kernel, d.stride, d.dilation, d.pad, static_cast<int>(one.dense.path),
          static_cast<int>(one.dense.epilogue.activation),
          static_cast<int>(one.depthwise.epilogue.activation), one.has_residual);
  REQUIRE(can_append_depthwise(s, one.dense.path, d));
  for (const Isa isa : test::isas_here()) {
    if (isa == Isa::baseline) continue;
    CAPTURE(isa_name(isa));
    PostOpRun run(one, numbers, isa);
    const std::vector<float> expected = run.one_by_one();
    for (const int threads : {1, 2, 8}) {
      CAPTURE(threads);
      const std::vector<float> found = run.together(threads);
      REQUIRE(std::memcmp(found.data(), expected.data(), found.size() * 4) == 0);
    }
  }
}

/// `dense` is complete but for the numbers.
void check_with_windows(PostOpCase& one, RandomValues& numbers, std::int64_t max_kernel) {
  const ConvSizes& s = one.dense.sizes;
  ConvSizes& d = one.depthwise.sizes;
  d.batch = s.batch;
  d.groups = d.channels_in = d.channels_out = s.channels_out;
  for (int axis = 1; axis < 3; ++axis)
    pick_window(numbers, d, axis, s.out[axis], max_kernel, numbers.between(1, 4) == 4 ? 3 : 1);
  fill_conv(numbers, one.dense);
  fill_conv(numbers, one.depthwise);
  one.has_residual = one.depthwise.epilogue.activation < Activation::gelu && numbers.flip();
  check_same_bits(one, numbers);
}

TEST_CASE("A pointwise convolution has the same bits with a depthwise post-op", "[conv]") {
  const std::uint32_t seed = 20291;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 40; ++round) {
    PostOpCase one;
    ConvSizes& s = one.dense.sizes;
    s.batch = numbers.between(1, 2);
    s.channels_in = numbers.between(1, 70);
    s.channels_out = numbers.between(2, 100);
    s.in[1] = s.out[1] = numbers.between(1, 40);
    s.in[2] = s.out[2] = numbers.between(1, 60);
    check_with_windows(one, numbers, round % 2 == 0 ? 3 : 6);
  }
}

TEST_CASE("Images that take several strips and bands have the same bits", "[conv]") {
  const std::uint32_t seed = 20292;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 3; ++round) {
    PostOpCase one;
    ConvSizes& s = one.dense.sizes;
    s.channels_in = numbers.between(16, 100);
    s.channels_out = numbers.between(20, 40);
    s.in[1] = s.out[1] = numbers.between(90, 150);
    s.in[2] = s.out[2] = numbers.between(90, 150);
    check_with_windows(one, numbers, 3);
  }
}

TEST_CASE("A convolution of a plain image has the same bits with a depthwise post-op", "[conv]") {
  const std::uint32_t seed = 20293;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 20; ++round) {
    PostOpCase one;
    one.dense.path = NchwcConvAlgorithm::from_nchw;
    ConvSizes& s = one.dense.sizes;
    s.batch = numbers.between(1, 2);
    s.channels_in = numbers.between(1, 4);
    s.channels_out = numbers.between(2, 40);
    for (int axis = 1; axis < 3; ++axis)
      pick_window(numbers, s, axis, numbers.between(8, 90), 5, 1);
    check_with_windows(one, numbers, 5);
  }
}

TEST_CASE("Only a depthwise convolution of the whole result is a post-op", "[conv]") {
  ConvSizes dense;
  dense.channels_in = 8;
  dense.channels_out = 32;
  for (int axis = 1; axis < 3; ++axis) dense.in[axis] = dense.out[axis] = 12;
  ConvSizes depthwise;
  depthwise.groups = depthwise.channels_in = depthwise.channels_out = 32;
  for (int axis = 1; axis < 3; ++axis) {
    depthwise.in[axis] = depthwise.out[axis] = 12;
    depthwise.kernel[axis] = 3;
    depthwise.pad[axis] = 1;
  }
  CHECK(can_append_depthwise(dense, NchwcConvAlgorithm::direct, depthwise));
  CHECK_FALSE(can_append_depthwise(dense, NchwcConvAlgorithm::winograd, depthwise));
  ConvSizes other = depthwise;
  other.channels_out = 64;
  CHECK_FALSE(can_append_depthwise(dense, NchwcConvAlgorithm::direct, other));
  other = depthwise;
  other.groups = 1;
  CHECK_FALSE(can_append_depthwise(dense, NchwcConvAlgorithm::direct, other));
  other = depthwise;
  other.in[1] = 11;
  CHECK_FALSE(can_append_depthwise(dense, NchwcConvAlgorithm::direct, other));
}

TEST_CASE("Post-ops are worth it where strips are much smaller than the image", "[conv]") {
  const auto is_worth = [](std::int64_t channels, std::int64_t size, Isa isa) {
    ConvSizes dense;
    dense.channels_in = 8;
    dense.channels_out = channels;
    ConvSizes depthwise;
    depthwise.groups = depthwise.channels_in = depthwise.channels_out = channels;
    for (int axis = 1; axis < 3; ++axis) {
      dense.in[axis] = dense.out[axis] = depthwise.in[axis] = depthwise.out[axis] = size;
      depthwise.kernel[axis] = 3;
      depthwise.pad[axis] = 1;
    }
    return is_worth_appending_depthwise(dense, NchwcConvAlgorithm::direct, depthwise, isa);
  };
  for (const Isa isa : test::isas_here()) {
    if (isa == Isa::baseline) continue;
    CAPTURE(isa_name(isa));
    CHECK(is_worth(96, 112, isa));
    CHECK(is_worth(576, 14, isa));
    // In the nearest cache.
    CHECK_FALSE(is_worth(96, 8, isa));
    // All of it is one strip.
    CHECK_FALSE(is_worth(16, 48, isa));
  }
}

}  // namespace
}  // namespace ortool::cpu
