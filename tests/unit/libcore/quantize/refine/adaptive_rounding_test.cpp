// Adaptive rounding: input statistics, and the rounding that they improve.
#include "libcore/quantize/refine/adaptive_rounding.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

constexpr QuantizationType input_type{DataType::uint8, false, false};

/// Rows with correlated columns.
Tensor correlated_rows(std::int64_t rows, std::int64_t columns, unsigned seed) {
  const Tensor common = random_tensor({rows, 3}, seed);
  const Tensor mix = random_tensor({3, columns}, seed + 1);
  Tensor result = random_tensor({rows, columns}, seed + 2);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      float& value = result.mutable_data<float>()[static_cast<std::size_t>(r * columns + c)];
      value *= 0.1F;
      for (std::int64_t k = 0; k < 3; ++k) {
        value += common.data<float>()[static_cast<std::size_t>(r * 3 + k)] *
                 mix.data<float>()[static_cast<std::size_t>(k * columns + c)];
      }
    }
  }
  return result;
}

/// The squared error of x * back - x * weights, for weights [in, out].
double output_error(const Tensor& x, const Tensor& weights, const Tensor& back) {
  const std::int64_t inputs = weights.shape()[0];
  const std::int64_t outputs = weights.shape()[1];
  double error = 0;
  for (std::int64_t r = 0; r < x.shape()[0]; ++r) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      double sum = 0;
      for (std::int64_t i = 0; i < inputs; ++i) {
        sum += element_as_double(x, r * inputs + i) * (element_as_double(back, i * outputs + o) -
                                                       element_as_double(weights, i * outputs + o));
      }
      error += sum * sum;
    }
  }
  return error;
}

}  // namespace

TEST_CASE("Rounding by the output's error is far better where inputs go together") {
  const Tensor x = correlated_rows(100, 20, 1);
  const Tensor unseen = correlated_rows(100, 20, 1);
  const Tensor weights = random_tensor({20, 6}, 7);
  const WeightMatrix matrix({20, 6}, WeightLayout::inputs_first);
  for (const DataType type : {DataType::int4, DataType::uint4, DataType::int8}) {
    CAPTURE(name_of(type));
    WeightOptions options;
    options.type = {type, true, false};
    options.axis = 1;
    const QuantizedData nearest = quantize_weights(weights, options);
    InputMoments moments(matrix, {}, choose_scale({-5, 5}, input_type), input_type);
    moments.add(x, 0);
    CHECK(moments.rows() == 100);
    Workers workers;
    const ImprovedWeights improved =
        improve_rounding(weights, matrix, nearest, options.type, moments, workers);
    ThreadPool pool(3);
    Workers three(pool, 3);
    const ImprovedWeights shared =
        improve_rounding(weights, matrix, nearest, options.type, moments, three);
    CHECK(same_bits(shared.codes.data, improved.codes.data));
    CHECK(shared.error_after == improved.error_after);
    CHECK(improved.error_after < 0.3 * improved.error_before);
    CHECK(output_error(unseen, weights, dequantize(improved.codes)) <
          0.4 * output_error(unseen, weights, dequantize(nearest)));
    // Each code is still adjacent to its weight.
    const Tensor back = dequantize(improved.codes);
    for (std::int64_t i = 0; i < weights.element_count(); ++i) {
      const auto scale =
          static_cast<double>(nearest.scales.data<float>()[static_cast<std::size_t>(i % 6)]);
      REQUIRE(std::abs(element_as_double(back, i) - element_as_double(weights, i)) <=
              scale * 1.0001);
    }
  }
}

TEST_CASE("Rounding comes near the best of all ways to round up or down") {
  const std::int64_t inputs = 8;
  double found_in_all = 0;
  double best_in_all = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const Tensor x = correlated_rows(60, inputs, 10 * seed);
    const Tensor weights = random_tensor({inputs, 1}, seed + 500);
    const WeightMatrix matrix({inputs, 1}, WeightLayout::inputs_first);
    WeightOptions options;
    options.type = {DataType::int4, true, false};
    const QuantizedData nearest = quantize_weights(weights, options);
    InputMoments moments(matrix, {}, choose_scale({-5, 5}, input_type), input_type);
    moments.add(x, 0);
    Workers workers;
    const ImprovedWeights improved =
        improve_rounding(weights, matrix, nearest, options.type, moments, workers);
    const float scale = nearest.scales.data<float>()[0];
    double best = INFINITY;
    for (unsigned choice = 0; choice < 1U << inputs; ++choice) {
      Tensor back = random_tensor({inputs, 1}, seed);
      for (std::size_t i = 0; i < static_cast<std::size_t>(inputs); ++i) {
        const float exact = weights.data<float>()[i] / scale;
        const float code = (choice >> i & 1U) != 0 ? std::ceil(exact) : std::floor(exact);
        back.mutable_data<float>()[i] = std::min(std::max(code, -7.0F), 7.0F) * scale;
      }
      best = std::min(best, output_error(x, weights, back));
    }
    const double found = output_error(x, weights, dequantize(improved.codes));
    CHECK(found <= output_error(x, weights, dequantize(nearest)));
    found_in_all += found;
    best_in_all += best;
  }
  CHECK(found_in_all <= 1.6 * best_in_all);
}

TEST_CASE("Windows of convolutions are summed as the weights count them, padding as zero") {
  // One channel, kernel 2, one element of padding in front: rows (0 1), (1 2), (2 3).
  InputWindows windows{{2}, {1}, {1}, {1, 0}};
  const WeightMatrix matrix({1, 1, 2}, WeightLayout::outputs_first);
  InputMoments moments(matrix, windows, {1, 0}, input_type);
  moments.add(Tensor::of<float>({1, 1, 3}, {1, 2, 3}), 0);
  CHECK(moments.rows() == 3);
  CHECK(moments.block(0, 0) == std::vector<double>{0 + 1 + 4, 0 + 2 + 6, 0 + 2 + 6, 1 + 4 + 9});

  const WeightMatrix grouped({4, 1, 1, 1}, WeightLayout::outputs_first, 2);
  InputMoments groups(grouped, {{1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, {1, 10}, input_type);
  groups.add(Tensor::of<float>({1, 2, 1, 2}, {1, 2, 30, 40}), 0);
  CHECK(groups.block(0, 0) == std::vector<double>{5});
  CHECK(groups.block(1, 0) == std::vector<double>{2500});
}

TEST_CASE("Sums of inputs do not depend on how samples are split") {
  const WeightMatrix matrix({600, 2}, WeightLayout::inputs_first);
  const auto moments_of = [&](std::int64_t first, std::int64_t last) {
    InputMoments moments(matrix, {}, choose_scale({-1, 1}, input_type), input_type);
    for (std::int64_t i = first; i < last; ++i) {
      moments.add(random_tensor({150, 600}, static_cast<unsigned>(i)), i);
    }
    return moments;
  };
  const InputMoments whole = moments_of(0, 4);
  InputMoments last = moments_of(1, 4);
  last.merge(moments_of(0, 1));
  CHECK(whole.rows() == 4 * 75);
  CHECK(last.rows() == whole.rows());
  CHECK(whole.block_count() == 2);
  for (std::int64_t block = 0; block < 2; ++block)
    CHECK(last.block(0, block) == whole.block(0, block));
  CHECK(InputMoments::size_bytes(matrix) == (512 * 512 + 88 * 88) * 8);
}

TEST_CASE("A pass over samples sums the inputs of the layers that were asked for") {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[n, 4] x) => (float[n, 4] y) { a = Relu (x) y = Neg (a) }
  )",
                                    std::move(options));
  const std::vector<MomentRequest> requests = {
      {"a", WeightMatrix({4, 2}, WeightLayout::inputs_first), {}, {0.01F, 0}, input_type},
      {"x", WeightMatrix({3, 4}, WeightLayout::outputs_first), {}, {0.01F, 128}, input_type}};
  const auto sample = [](std::int64_t number) {
    return NamedValues{{"x", random_tensor({3, 4}, static_cast<unsigned>(number))}};
  };
  CollectOptions collect_options;
  collect_options.sample_count = 5;
  const std::vector<InputMoments> moments =
      collect_moments(*session, requests, sample, collect_options);
  REQUIRE(moments.size() == 2);
  CHECK(moments[0].rows() == 15);
  CHECK(moments[1].block(0, 0)[0] > moments[0].block(0, 0)[0]);
}
