// Weight refinement: weights and biases fitted to the inputs of a layer.
#include "libcore/quantize/refine/refine_weights.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/calibrate/collect.hpp"
#include "libcore/quantize/scheme/group_params.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr std::int64_t refined_samples = 16;

std::unique_ptr<Model> product_model() {
  auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[8, 24] x, float[6, 24] w, float[6] b) => (float[8, 6] y)"
      "{ [a] y = Gemm <transB = 1> (x, w, b) }");
  Graph& graph = *model->graph;
  graph.set_constant(*graph.find_value("w"), random_tensor({6, 24}, 3));
  graph.set_constant(*graph.find_value("b"), random_tensor({6}, 4));
  graph.make_default_constant(*graph.find_value("w"));
  graph.make_default_constant(*graph.find_value("b"));
  return model;
}

/// Numbers around one, so that errors of weights add up.
NamedValues make_sample(std::int64_t index) {
  Tensor x = random_tensor({8, 24}, static_cast<unsigned>(100 + index));
  Tensor moved(DataType::float32, x.shape());
  for (std::size_t i = 0; i < 8 * 24; ++i) moved.mutable_data<float>()[i] = 1 + x.data<float>()[i];
  return {{"x", moved}};
}

/// The squared error of the quantized model over all refined_samples, with 7-bit weights.
double error_of(bool is_refined) {
  const auto model = product_model();
  const Session floats_session(copy_model(*model), [] {
    SessionOptions options = cpu_options();
    options.optimize = OptimizeLevel::none;
    return options;
  }());
  const QuantizePlan plan = make_plan(*model, {});
  CalibrationSettings settings;
  settings.values = requested_values(plan);
  Calibration calibration(settings);
  CollectOptions options;
  options.sample_count = refined_samples;
  const auto sample = [](std::int64_t index) { return make_sample(index); };
  collect(floats_session, calibration, sample, options);
  std::vector<ChosenValue> chosen;
  PlanParams params;
  params.groups = choose_group_params(
      plan, {.calibration = &calibration, .method = {CalibrationMethod::minmax}}, chosen);
  params.weights.type.is_reduced = true;
  const WeightRefiner refiner(plan, params.weights.type, calibration, floats_session, sample,
                              options);
  if (is_refined) params.refiner = &refiner;
  insert_qdq(*model, plan, params);
  infer_shapes(*model);
  const Session session(copy_model(*model), cpu_options());
  double error = 0;
  for (std::int64_t i = 0; i < refined_samples; ++i) {
    const auto expected = floats(floats_session.run(make_sample(i), {}).front());
    const auto found = floats(session.run(make_sample(i), {}).front());
    for (std::size_t k = 0; k < found.size(); ++k)
      error += std::pow(static_cast<double>(found[k]) - static_cast<double>(expected[k]), 2);
  }
  return error;
}

TEST_CASE("refined weights leave less of a layer's error than the nearest levels") {
  CHECK(error_of(true) < 0.8 * error_of(false));
}

}  // namespace
}  // namespace ortool
