// Equalisation, smoothing and bias correction: what is computed stays, what is lost gets less.
#include "libcore/quantize/balance.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

/// relu(x w1' + b1) w2' of two plain layers with outputs first.
std::vector<double> two_layers(const std::vector<EqualizedLayer>& layers, const Tensor& x) {
  std::vector<double> row;
  for (std::int64_t i = 0; i < x.element_count(); ++i) row.push_back(element_as_double(x, i));
  for (std::size_t l = 0; l < 2; ++l) {
    const EqualizedLayer& layer = layers[l];
    std::vector<double> next;
    for (std::int64_t o = 0; o < layer.matrix.outputs(); ++o) {
      double sum = layer.bias.is_empty() ? 0 : element_as_double(layer.bias, o);
      for (std::int64_t i = 0; i < layer.matrix.inputs(); ++i) {
        sum += row[static_cast<std::size_t>(i)] *
               element_as_double(layer.weights, layer.matrix.index(o, i, 0));
      }
      next.push_back(l == 0 ? std::max(sum, 0.0) : sum);
    }
    row = next;
  }
  return row;
}

std::vector<EqualizedLayer> uneven_layers() {
  Tensor first = random_tensor({5, 3}, 1);
  for (std::size_t i = 0; i < 15; ++i) {
    first.mutable_data<float>()[i] *= i / 3 == 2 ? 100.0F : i / 3 == 4 ? 0.0F : 1.0F;
  }
  return {{first, WeightMatrix({5, 3}, WeightLayout::outputs_first), random_tensor({5}, 2)},
          {random_tensor({5, 2}, 3), WeightMatrix({5, 2}, WeightLayout::inputs_first), Tensor()}};
}

}  // namespace

TEST_CASE("Weights are one matrix a group, whichever way they lie") {
  const WeightMatrix conv({6, 2, 3, 3}, WeightLayout::outputs_first, 3);
  CHECK(conv.outputs() == 6);
  CHECK(conv.inputs() == 6);
  CHECK(conv.group_outputs() == 2);
  CHECK(conv.taps() == 9);
  CHECK(conv.index(5, 1, 8) == 6 * 2 * 9 - 1);
  const WeightMatrix transposed({6, 2, 3}, WeightLayout::inputs_first, 3);
  CHECK(transposed.outputs() == 6);
  CHECK(transposed.group_inputs() == 2);
  CHECK(transposed.index(3, 1, 2) == (3 * 2 + 1) * 3 + 2);
  CHECK_THROWS_AS(WeightMatrix({5, 2}, WeightLayout::outputs_first, 3), Error);
  CHECK_THROWS_AS(WeightMatrix({5}, WeightLayout::outputs_first), Error);
}

TEST_CASE("Equalised layers compute the same with channels of like magnitude") {
  std::vector<EqualizedLayer> layers = uneven_layers();
  const Tensor x = random_tensor({3}, 4);
  const std::vector<double> before = two_layers(layers, x);
  CHECK(equalize_chain(layers) > 3);
  const std::vector<double> after = two_layers(layers, x);
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(after[i] == Approx(before[i]).epsilon(1e-5));
  const std::vector<double> outputs = output_magnitudes(layers[0].weights, layers[0].matrix);
  const std::vector<double> inputs = input_magnitudes(layers[1].weights, layers[1].matrix);
  for (std::size_t i = 0; i < 4; ++i) CHECK(outputs[i] == Approx(inputs[i]).epsilon(0.02));
  // A channel without weights stays as it is.
  CHECK(outputs[4] == 0);
  CHECK(element_as_double(layers[0].bias, 4) == element_as_double(random_tensor({5}, 2), 4));
}

TEST_CASE("Equalisation goes through depthwise layers") {
  std::vector<EqualizedLayer> layers;
  Tensor first = random_tensor({4, 2, 1, 1}, 1);
  first.mutable_data<float>()[0] = 50;
  layers.push_back({first, WeightMatrix({4, 2, 1, 1}, WeightLayout::outputs_first), Tensor()});
  layers.push_back({random_tensor({4, 1, 3, 3}, 2),
                    WeightMatrix({4, 1, 3, 3}, WeightLayout::outputs_first, 4), Tensor()});
  layers.push_back({random_tensor({3, 4, 1, 1}, 3),
                    WeightMatrix({3, 4, 1, 1}, WeightLayout::outputs_first), Tensor()});
  equalize_chain(layers);
  const auto a = output_magnitudes(layers[0].weights, layers[0].matrix);
  const auto b = output_magnitudes(layers[1].weights, layers[1].matrix);
  const auto c = input_magnitudes(layers[2].weights, layers[2].matrix);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(b[i] == Approx(c[i]).epsilon(0.05));
    CHECK(a[i] == Approx(b[i]).epsilon(0.1));
  }
  std::vector<EqualizedLayer> wrong = {layers[0], layers[0]};
  CHECK_THROWS_AS(equalize_chain(wrong), Error);
}

TEST_CASE("Smoothing is chosen where one channel dwarfs the others, and not where none does") {
  const Tensor weights = random_tensor({16, 8}, 5);
  const WeightMatrix matrix({16, 8}, WeightLayout::inputs_first);
  const auto recorded = [](float outlier) {
    ValueRecord record(RecordOptions{false, -1, 0});
    for (unsigned i = 0; i < 4; ++i) {
      Tensor tensor = random_tensor({20, 16}, i);
      for (std::size_t k = 3; k < 320; k += 16) tensor.mutable_data<float>()[k] *= outlier;
      record.add(tensor, i);
    }
    return record;
  };
  const ValueRecord even = recorded(1);
  CHECK_FALSE(choose_smoothing(even.channels(), weights, matrix).has_value());
  const ValueRecord uneven = recorded(60);
  const auto smoothing = choose_smoothing(uneven.channels(), weights, matrix);
  REQUIRE(smoothing.has_value());
  CHECK(smoothing->gain > 2);
  CHECK(smoothing->factors[3] > 3 * smoothing->factors[2]);

  // The product of the quantised operands is nearer to the true one than without.
  Tensor x = random_tensor({20, 16}, 9);
  for (std::size_t k = 3; k < 320; k += 16) x.mutable_data<float>()[k] *= 60;
  const auto error_with = [&](const std::vector<double>& factors) {
    WeightOptions options;
    options.axis = 1;
    const Tensor w = dequantize(quantize_weights(scale_inputs(weights, matrix, factors), options));
    Tensor smooth = random_tensor({20, 16}, 9);
    for (std::size_t k = 0; k < 320; ++k) {
      smooth.mutable_data<float>()[k] = x.data<float>()[k] / static_cast<float>(factors[k % 16]);
    }
    WeightOptions activation;
    const Tensor q = dequantize(quantize_weights(smooth, activation));
    double error = 0;
    for (std::int64_t r = 0; r < 20; ++r) {
      for (std::int64_t o = 0; o < 8; ++o) {
        double difference = 0;
        for (std::int64_t i = 0; i < 16; ++i) {
          difference += element_as_double(q, r * 16 + i) * element_as_double(w, i * 8 + o) -
                        element_as_double(x, r * 16 + i) * element_as_double(weights, i * 8 + o);
        }
        error += difference * difference;
      }
    }
    return error;
  };
  CHECK(error_with(smoothing->factors) < 0.5 * error_with(std::vector<double>(16, 1)));
}

TEST_CASE("The expected shift is the mean error of the output, and the bias takes it back") {
  const Tensor weights = random_tensor({2, 3}, 1);
  const WeightMatrix matrix({2, 3}, WeightLayout::outputs_first);
  WeightOptions options;
  options.type = {DataType::int4, true, false};
  const Tensor rough = dequantize(quantize_weights(weights, options));
  const std::vector<double> means = {1, 2, -3};
  const std::vector<double> shift = expected_shift(weights, rough, matrix, means);
  double expected = 0;
  for (std::int64_t i = 0; i < 3; ++i) {
    expected += (element_as_double(rough, 3 + i) - element_as_double(weights, 3 + i)) *
                means[static_cast<std::size_t>(i)];
  }
  CHECK(shift[1] == Approx(expected));
  const Tensor bias = corrected_bias(Tensor::of<float>({2}, {1, 2}), shift);
  CHECK(element_as_double(bias, 1) == Approx(2 - expected));
  CHECK_THROWS_AS(corrected_bias(Tensor::of<float>({3}, {1, 2, 3}), shift), Error);
}
