// Bias correction: the shift caused by rounded weights, and its compensation.
#include "libcore/quantize/refine/bias_correction.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

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
