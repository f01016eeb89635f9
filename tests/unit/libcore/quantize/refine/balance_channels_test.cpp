// Channel balancing: same results, and less quantization error where channels were uneven.
#include "libcore/quantize/refine/balance_channels.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/calibrate/collect.hpp"
#include "libcore/quantize/refine/choose_factors.hpp"
#include "libcore/quantize/scheme/group_params.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr std::int64_t balanced_samples = 8;

void fill(Model& model, std::string_view name, const Shape& shape, unsigned seed) {
  Graph& graph = *model.graph;
  graph.set_constant(*graph.find_value(name), random_tensor(shape, seed));
  graph.make_default_constant(*graph.find_value(name));
}

/// Multiplies the weights of output channel `channel` of a constant [out, …] by `factor`.
void stretch(Model& model, std::string_view name, std::int64_t channel, float factor) {
  Value& value = *model.graph->find_value(name);
  std::vector<double> factors(static_cast<std::size_t>(value.constant().shape()[0]), 1);
  factors[static_cast<std::size_t>(channel)] = static_cast<double>(factor);
  const WeightMatrix matrix(value.constant().shape(), WeightLayout::outputs_first);
  model.graph->set_constant(value, scale_outputs(value.constant(), matrix, factors));
}

/// Convolution, Relu, depthwise convolution with a bias, a residual sum, pool and product.
std::unique_ptr<Model> chain(float unevenness) {
  auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[1, 3, 8, 8] x, float[6, 3, 3, 3] w1, float[6] b1, float[6, 1, 3, 3] w2,"
      "   float[6] b2, float[6, 6, 1, 1] w3, float[4, 6] w4) => (float[1, 4] y)"
      "{ [a] h1 = Conv <pads = [1, 1, 1, 1]> (x, w1, b1)"
      "  [b] r1 = Relu (h1)"
      "  [c] h2 = Conv <pads = [1, 1, 1, 1], group = 6> (r1, w2, b2)"
      "  [d] r2 = Relu (h2)"
      "  [e] h3 = Conv (r2, w3)"
      "  [f] s = Add (h3, r2)"
      "  [g1] p = GlobalAveragePool (s)"
      "  [h] q = Flatten (p)"
      "  [i] y = Gemm <transB = 1> (q, w4) }");
  fill(*model, "w1", {6, 3, 3, 3}, 1);
  fill(*model, "b1", {6}, 2);
  fill(*model, "w2", {6, 1, 3, 3}, 3);
  fill(*model, "b2", {6}, 4);
  fill(*model, "w3", {6, 6, 1, 1}, 5);
  fill(*model, "w4", {4, 6}, 6);
  stretch(*model, "w1", 2, unevenness);
  stretch(*model, "w2", 2, 1 / unevenness);
  return model;
}

/// A normalization with one large channel, whose weights are small, before two products.
std::unique_ptr<Model> normalized(float unevenness) {
  auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[5, 16] x, float[16] scale, float[16] bias, float[16, 8] w1, float[16, 8] w2)"
      "  => (float[5, 8] y, float[5, 8] z)"
      "{ [n] m = LayerNormalization (x, scale, bias)"
      "  [a] y = MatMul (m, w1)"
      "  [b] z = MatMul (m, w2) }");
  fill(*model, "scale", {16}, 1);
  fill(*model, "bias", {16}, 2);
  fill(*model, "w1", {16, 8}, 3);
  fill(*model, "w2", {16, 8}, 4);
  for (const char* name : {"scale", "bias"}) {
    Value& value = *model->graph->find_value(name);
    std::vector<double> factors(16, 1);
    factors[3] = static_cast<double>(unevenness);
    model->graph->set_constant(value, scale_elements(value.constant(), factors));
  }
  for (const char* name : {"w1", "w2"}) {
    Value& value = *model->graph->find_value(name);
    std::vector<double> factors(16, 1);
    factors[3] = static_cast<double>(1 / unevenness);
    const WeightMatrix matrix({16, 8}, WeightLayout::inputs_first);
    model->graph->set_constant(value, scale_inputs(value.constant(), matrix, factors));
  }
  return model;
}

SessionOptions node_by_node() {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  return options;
}

/// A model with its session, samples and calibration.
struct Network {
  explicit Network(std::unique_ptr<Model> made)
      : model(std::move(made)), session(copy_model(*model), node_by_node()) {}

  NamedValues sample(std::int64_t index) const {
    const Shape shape =
        model->graph->inputs()[0]->name() == "x" && model->graph->outputs().size() == 1
            ? Shape{1, 3, 8, 8}
            : Shape{5, 16};
    return {{"x", random_tensor(shape, static_cast<unsigned>(100 + index))}};
  }

  std::vector<BalanceGroup> groups() {
    const QuantizePlan plan = make_plan(*model, {.is_wanted = wants_all});
    const ChannelLinks links(*model);
    CollectOptions options;
    options.sample_count = balanced_samples;
    const auto values = balanced_values(plan, links);
    const SamplesByValue seen = collect_channel_samples(
        session, values, [this](std::int64_t index) { return sample(index); }, options);
    std::vector<BalanceGroup> found = balance_groups(plan, links);
    choose_factors(plan, links, seen, found);
    return found;
  }

  Calibration calibrate(const Session& run) {
    CalibrationSettings settings;
    settings.values = requested_values(make_plan(*model, {.is_wanted = wants_all}));
    Calibration state(settings);
    CollectOptions options;
    options.sample_count = balanced_samples;
    collect(
        run, state, [this](std::int64_t index) { return sample(index); }, options);
    return state;
  }

  /// The squared error of `balanced` once quantized, relative to the squares of the outputs.
  double error_of(const Model& balanced) {
    const auto quantized = copy_model(balanced);
    const Session floats_session(copy_model(balanced), node_by_node());
    const Calibration calibration = calibrate(floats_session);
    const QuantizePlan plan = make_plan(*quantized, {.is_wanted = wants_all});
    std::vector<ChosenValue> chosen;
    PlanParams params;
    params.groups = choose_group_params(
        plan, {.calibration = &calibration, .method = {CalibrationMethod::mse}}, chosen);
    insert_qdq(*quantized, plan, params);
    infer_shapes(*quantized);
    const Session int8(copy_model(*quantized), cpu_options());
    double error = 0;
    double signal = 0;
    for (std::int64_t i = 0; i < balanced_samples; ++i) {
      const auto expected = floats(session.run(sample(i), {}).front());
      const auto found = floats(int8.run(sample(i), {}).front());
      for (std::size_t k = 0; k < found.size(); ++k) {
        error += std::pow(static_cast<double>(found[k]) - static_cast<double>(expected[k]), 2);
        signal += std::pow(static_cast<double>(expected[k]), 2);
      }
    }
    return error / signal;
  }

  static bool wants_all(const Node&) { return true; }

  std::unique_ptr<Model> model;
  Session session;
};

void check_same_outputs(const Network& network, const Model& balanced) {
  const Session session(copy_model(balanced), node_by_node());
  for (std::int64_t i = 0; i < balanced_samples; ++i) {
    const auto expected = network.session.run(network.sample(i), {});
    const auto found = session.run(network.sample(i), {});
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const auto a = floats(expected[k]);
      const auto b = floats(found[k]);
      double most = 0;
      for (const float number : a) most = std::max(most, std::abs(static_cast<double>(number)));
      for (std::size_t e = 0; e < a.size(); ++e)
        CHECK(std::abs(static_cast<double>(a[e]) - static_cast<double>(b[e])) <= 1e-4 * most);
    }
  }
}

}  // namespace

TEST_CASE("a balanced chain of convolutions computes the same and loses less when quantized") {
  Network network(chain(40));
  const std::vector<BalanceGroup> groups = network.groups();
  REQUIRE_FALSE(groups.empty());
  const auto balanced = copy_model(*network.model);
  balance_channels(*balanced, groups);
  CHECK_FALSE(same_bits(balanced->graph->find_value("b1")->constant(),
                        network.model->graph->find_value("b1")->constant()));
  check_same_outputs(network, *balanced);
  CHECK(network.error_of(*balanced) < 0.5 * network.error_of(*network.model));
}

TEST_CASE("what a normalization makes loud is made even for the products that read it") {
  Network network(normalized(60));
  const std::vector<BalanceGroup> groups = network.groups();
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].name == "m");
  CHECK(groups[0].expected_gain > 2);
  CHECK(groups[0].alpha >= 0.2);
  const auto balanced = copy_model(*network.model);
  balance_channels(*balanced, groups);
  check_same_outputs(network, *balanced);
  CHECK(network.error_of(*balanced) < 0.5 * network.error_of(*network.model));
}

TEST_CASE("channels that are even already stay as they are") {
  Network even = Network([] {
    auto model = normalized(1);
    Graph& graph = *model->graph;
    const std::vector<float> ones(16, 1);
    graph.set_constant(*graph.find_value("scale"), Tensor::of<float>({16}, ones));
    graph.set_constant(*graph.find_value("bias"), Tensor::of<float>({16}, std::vector<float>(16)));
    const std::vector<float> half(std::size_t{16} * 8, 0.5F);
    graph.set_constant(*graph.find_value("w1"), Tensor::of<float>({16, 8}, half));
    graph.set_constant(*graph.find_value("w2"), Tensor::of<float>({16, 8}, half));
    return model;
  }());
  for (const BalanceGroup& group : even.groups()) CHECK(group.expected_gain < 1.3);
}

TEST_CASE("the calibration of a balanced model is that of a pass over it") {
  Network network(normalized(60));
  const std::vector<BalanceGroup> groups = network.groups();
  const auto model = copy_model(*network.model);
  balance_channels(*model, groups);
  const Session session(copy_model(*model), node_by_node());
  const Calibration passed = network.calibrate(session);
  const ChannelLinks links(*network.model);
  CollectOptions options;
  options.sample_count = balanced_samples;
  const Calibration made = balanced_calibration(
      network.calibrate(network.session), network.session, links, groups,
      [&](std::int64_t index) { return network.sample(index); }, options);
  REQUIRE(made.find("m") != nullptr);
  CHECK(made.find("m")->max() == Approx(passed.find("m")->max()).epsilon(1e-5));
  CHECK(made.find("m")->min() == Approx(passed.find("m")->min()).epsilon(1e-5));
  CHECK(made.find("m")->std() == Approx(passed.find("m")->std()).epsilon(1e-5));
  CHECK(made.find("m")->channels()[3].max ==
        Approx(passed.find("m")->channels()[3].max).epsilon(1e-5));
}

TEST_CASE("what nothing can take up is held") {
  auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[1, 3, 4, 4] x, float[6, 3, 1, 1] w1, float[6, 6, 1, 1] w2, float six, float zero)"
      "  => (float[1, 6, 4, 4] y)"
      "{ a = Conv (x, w1)"
      "  b = Clip (a, zero, six)"
      "  c = Conv (b, w2)"
      "  y = Sigmoid (c) }");
  fill(*model, "w1", {6, 3, 1, 1}, 1);
  fill(*model, "w2", {6, 6, 1, 1}, 2);
  Graph& graph = *model->graph;
  graph.set_constant(*graph.find_value("six"), Tensor::scalar(6.0F));
  graph.set_constant(*graph.find_value("zero"), Tensor::scalar(0.0F));
  graph.make_default_constant(*graph.find_value("six"));
  graph.make_default_constant(*graph.find_value("zero"));
  const ChannelLinks links(*model);
  for (const char* name : {"a", "b", "c", "y"}) {
    CAPTURE(name);
    CHECK_FALSE(links.axis_of(*graph.find_value(name)).has_value());
  }
}

}  // namespace ortool
