// Quantized weights, biases and blocks, and their dequantized values.
#include "libcore/quantize/scheme/quantize_tensor.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/quantize/scheme/block_weights.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

double worst_error(const Tensor& a, const Tensor& b) {
  double worst = 0;
  for (std::int64_t i = 0; i < a.element_count(); ++i) {
    worst = std::max(worst, std::abs(element_as_double(a, i) - element_as_double(b, i)));
  }
  return worst;
}

double squared_distance(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.element_count(); ++i) {
    const double difference = element_as_double(a, i) - element_as_double(b, i);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

TEST_CASE("Weights have a scale a channel, whichever axis the channels are") {
  const Tensor weights = Tensor::of<float>({2, 3}, {1, -2, 4, 0.5F, 8, -4});
  WeightOptions options;
  options.axis = 0;
  QuantizedData rows = quantize_weights(weights, options);
  CHECK(rows.scales.shape() == Shape{2});
  CHECK(rows.scales.data<float>()[0] == static_cast<float>(4.0 / 127));
  CHECK(rows.scales.data<float>()[1] == static_cast<float>(8.0 / 127));
  CHECK(rows.data.data<std::int8_t>()[2] == 127);
  CHECK(rows.data.data<std::int8_t>()[5] == -64);
  CHECK(worst_error(dequantize(rows), weights) <= 4.0 / 127 + 1e-6);
  options.axis = -1;
  QuantizedData columns = quantize_weights(weights, options);
  CHECK(columns.scales.shape() == Shape{3});
  CHECK(columns.data.data<std::int8_t>()[0] == 127);
  CHECK(columns.data.data<std::int8_t>()[3] == 64);
  options.axis.reset();
  CHECK(quantize_weights(weights, options).scales.shape() == Shape{});
}

TEST_CASE("Every type of levels gives weights back within half a step") {
  const Tensor weights = random_tensor({7, 9}, 3);
  for (const DataType type : {DataType::int8, DataType::uint8, DataType::int16, DataType::uint16,
                              DataType::int4, DataType::uint4}) {
    for (const bool is_symmetric : {true, false}) {
      WeightOptions options;
      options.type = {type, is_symmetric, false};
      options.axis = 1;
      const QuantizedData codes = quantize_weights(weights, options);
      const Tensor back = dequantize(codes);
      for (std::int64_t i = 0; i < weights.element_count(); ++i) {
        const double step =
            static_cast<double>(codes.scales.data<float>()[static_cast<std::size_t>(i % 9)]);
        // An asymmetric zero point is rounded: ends of the range may lie half a step outside.
        REQUIRE(std::abs(element_as_double(back, i) - element_as_double(weights, i)) <=
                step * (is_symmetric ? 0.5001 : 1.0001));
      }
    }
  }
}

TEST_CASE("Weights of other float types are quantized like their float32") {
  const Tensor weights = random_tensor({4, 4}, 5);
  const Tensor half = convert(weights, DataType::float16);
  const QuantizedData a = quantize_weights(half, {});
  const QuantizedData b = quantize_weights(convert(half, DataType::float32), {});
  CHECK(same_bits(a.data, b.data));
  CHECK(same_bits(a.scales, b.scales));
}

TEST_CASE("The range of least error serves weights with an outlier better in four bits") {
  Tensor weights = random_tensor({1, 1000}, 7);
  weights.mutable_data<float>()[17] = 4;
  WeightOptions options;
  options.type = {DataType::int4, true, false};
  const double whole = squared_distance(dequantize(quantize_weights(weights, options)), weights);
  options.range = WeightRange::min_error;
  const double least = squared_distance(dequantize(quantize_weights(weights, options)), weights);
  CHECK(least < 0.7 * whole);
}

TEST_CASE("Weights that are no numbers are an error that says where") {
  const Tensor weights = Tensor::of<float>({3}, {1, NAN, 2});
  CHECK_THROWS_WITH(quantize_weights(weights, {}), Catch::Contains("element 1"));
  CHECK_THROWS_AS(quantize_weights(Tensor::of<std::int32_t>({1}, {1}), {}), Error);
}

TEST_CASE("Channels of zeros and empty weights are quantized to zeros") {
  WeightOptions options;
  options.axis = 0;
  const QuantizedData zeros = quantize_weights(Tensor::of<float>({2, 2}, {0, 0, 1, 2}), options);
  CHECK(zeros.scales.data<float>()[0] == 1);
  CHECK(zeros.data.data<std::int8_t>()[0] == 0);
  CHECK(quantize_weights(Tensor(DataType::float32, {0, 3}), options).data.element_count() == 0);
}

TEST_CASE("A bias takes the product of scales and stops at the ends of int32") {
  const Tensor weight_scales = Tensor::of<float>({3}, {0.5F, 0.25F, 1e-30F});
  const Tensor scales = bias_scales(0.1F, weight_scales);
  const Tensor bias = Tensor::of<float>({3}, {1, -1, 5});
  const Tensor codes = quantize_bias(bias, scales);
  CHECK(codes.data<std::int32_t>()[0] == 20);
  CHECK(codes.data<std::int32_t>()[1] == -40);
  CHECK(codes.data<std::int32_t>()[2] == std::numeric_limits<std::int32_t>::max());
  CHECK_THROWS_AS(quantize_bias(Tensor::of<float>({2}, {1, 2}), scales), Error);
}

TEST_CASE("Scales of weights grow where their bias would not fit") {
  std::vector<Scale> scales = {{0.5F, 0}, {1e-12F, 0}};
  const Tensor bias = Tensor::of<float>({2}, {1, 5});
  CHECK(widen_for_bias(scales, 0.1F, bias) == 1);
  CHECK(scales[0].scale == 0.5F);
  const Tensor by = bias_scales(0.1F, Tensor::of<float>({2}, {scales[0].scale, scales[1].scale}));
  const Tensor codes = quantize_bias(bias, by);
  CHECK(std::abs(codes.data<std::int32_t>()[1]) <= 1 << 30);
  CHECK(static_cast<double>(codes.data<std::int32_t>()[1]) *
            static_cast<double>(by.data<float>()[1]) ==
        Approx(5));
}

TEST_CASE("Blocks of four and eight bits lie as MatMulNBits takes them") {
  Tensor weights(DataType::float32, {40, 2});
  for (std::int64_t i = 0; i < 80; ++i) {
    weights.mutable_data<float>()[static_cast<std::size_t>(i)] =
        static_cast<float>(i % 2 == 0 ? i % 16 : -i);
  }
  const BlockWeights four = quantize_blocks(weights, {4, 16, false});
  CHECK(four.packed.shape() == Shape{2, 3, 8});
  CHECK(four.scales.shape() == Shape{6});
  CHECK(four.zero_points.shape() == Shape{4});
  // Column 0 holds 0, 2 .. 14 twice: scale 14/15, so the first byte holds the codes 0 and 2.
  CHECK(four.scales.data<float>()[0] == static_cast<float>(14.0 / 15));
  CHECK(four.packed.data<std::uint8_t>()[0] == 0x20);
  for (const int bits : {4, 8}) {
    for (const bool is_symmetric : {true, false}) {
      const BlockWeights blocks = quantize_blocks(weights, {bits, 16, is_symmetric});
      CHECK(blocks.zero_points.is_empty() == is_symmetric);
      CHECK(worst_error(dequantize_blocks(blocks), weights) <= (bits == 4 ? 6.0 : 0.35));
    }
  }
  CHECK_THROWS_AS(quantize_blocks(weights, {4, 24, true}), Error);
  CHECK_THROWS_AS(quantize_blocks(weights, {3, 32, true}), Error);
}

TEST_CASE("Weights that are read in stretches have the scales and levels of their channels") {
  // More elements than are processed at once, with channels that begin and end anywhere.
  for (const std::int64_t axis : {0, 1, 2}) {
    const Shape shape{7, 300, 701};
    Tensor weights(DataType::float32, shape);
    const std::span<float> data = weights.mutable_data<float>();
    std::uint32_t state = 1;
    for (float& each : data) {
      state = state * 1664525U + 1013904223U;
      each = static_cast<float>(state >> 8U) / 16777216.0F - 0.4F;
    }
    data[5 * 300 * 701 + 299 * 701 + 700] = 3;
    WeightOptions options;
    options.axis = axis;
    const QuantizedData made = quantize_weights(weights, options);
    const std::int64_t inner = shape.product(axis + 1, 3);
    std::vector<float> largest(static_cast<std::size_t>(shape[axis]), 0);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::int64_t channel = static_cast<std::int64_t>(i) / inner % shape[axis];
      float& most = largest[static_cast<std::size_t>(channel)];
      most = std::max(most, std::abs(data[i]));
    }
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::int64_t channel = static_cast<std::int64_t>(i) / inner % shape[axis];
      const float scale = largest[static_cast<std::size_t>(channel)] / 127.0F;
      const float code = static_cast<float>(made.data.data<std::int8_t>()[i]);
      wrong += std::abs(code - data[i] / scale) <= 0.501F ? 0 : 1;
    }
    REQUIRE(wrong == 0);
    for (std::size_t i = 0; i < largest.size(); ++i)
      REQUIRE(made.scales.data<float>()[i] == Approx(largest[i] / 127.0F));
  }
}

TEST_CASE("An infinite weight is named by its place wherever it lies") {
  Tensor weights(DataType::float32, Shape{3, 1000000});
  for (float& each : weights.mutable_data<float>()) each = 1;
  weights.mutable_data<float>()[2345678] = std::numeric_limits<float>::infinity();
  REQUIRE_THROWS_WITH(choose_weight_scales(weights, {}),
                      Catch::Matchers::Contains("inf at element 2345678"));
}
