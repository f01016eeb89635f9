// Dynamic quantization of LSTMs: the resulting nodes, and that results stay close.
#include "libcore/quantize/scheme/dynamic_lstm.hpp"

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/scheme/dynamic.hpp"
#include "libcore/quantize/scheme/weight_only.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// A model whose inputs other than `x` are weights.
std::unique_ptr<Model> lstm_model(const std::string& graph) {
  auto model = inferred_model("<ir_version: 10, opset_import: [\"\" : 21]>\n" + graph);
  const std::vector<Value*> inputs(model->graph->inputs().begin(), model->graph->inputs().end());
  unsigned seed = 0;
  for (Value* input : inputs) {
    if (input->name() == "x") continue;
    std::vector<std::int64_t> sizes;
    for (const Dimension& size : *input->type().shape) sizes.push_back(size.number());
    model->graph->set_constant(*input, random_tensor(Shape(sizes), ++seed));
    model->graph->make_default_constant(*input);
  }
  return model;
}

PlanRules dynamic_rules() {
  PlanRules rules;
  rules.takes_recurrent = true;
  return rules;
}

/// Quantizes dynamically, then the remaining weights only.
QuantizePlan quantize(Model& model, const PlanRules& rules) {
  QuantizePlan plan = make_plan(model, rules);
  static_cast<void>(quantize_dynamically(model, plan, {}, nullptr));
  WeightOnlyOptions rest;
  rest.has_products = false;
  quantize_weights_only(model, plan, rest);
  verify(*model.graph);
  infer_shapes(model);
  return plan;
}

std::vector<float> run_lstm(const Model& model, const Tensor& x) {
  const Session session(copy_model(model), cpu_options());
  return floats(session.run({{"x", x}}, {}).front());
}

std::string operators(const Model& model) {
  std::string all;
  for (const Node& node : model.graph->nodes())
    all += (all.empty() ? "" : " ") + std::string(node.op_type());
  return all;
}

double noise_db(const std::vector<float>& expected, const std::vector<float>& found) {
  REQUIRE(found.size() == expected.size());
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
    signal += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
    noise += difference * difference;
  }
  return 10 * std::log10(signal / noise);
}

constexpr const char* both_ways =
    "g (float[5, 2, 8] x, float[2, 32, 8] w, float[2, 32, 8] r, float[2, 64] b, float[2, 2, 8] h)"
    " => (float[5, 2, 2, 8] y, float[2, 2, 8] c)"
    "{ [a] y, , c = LSTM <hidden_size = 8, direction = \"bidirectional\"> (x, w, r, b, , h) }";

TEST_CASE("a dynamic LSTM keeps its states, biases and outputs, and turns its weights") {
  const auto model = lstm_model(both_ways);
  const Tensor x = random_tensor({5, 2, 8}, 9);
  const std::vector<float> expected = run_lstm(*model, x);
  for (const bool is_per_channel : {true, false}) {
    const std::unique_ptr<Model> made = copy_model(*model);
    PlanRules rules = dynamic_rules();
    rules.is_per_channel = is_per_channel;
    const QuantizePlan plan = quantize(*made, rules);
    CHECK(plan.nodes.front().is_quantized);
    REQUIRE(operators(*made) == "DynamicQuantizeLSTM");
    const Node& node = *made->graph->first_node();
    CHECK(node.domain() == "com.microsoft");
    CHECK(node.name() == "a");
    CHECK(node.input(1)->constant().shape() == Shape({2, 8, 32}));
    CHECK(node.input(10)->constant().shape() == (is_per_channel ? Shape({2, 32}) : Shape({2})));
    CHECK(made->graph->opset("com.microsoft") == 1);
    CHECK(noise_db(expected, run_lstm(*made, x)) > 28);
  }
}

TEST_CASE("an LSTM in a body reads levels of the graph around it") {
  const auto model = lstm_model(
      "g (float[3, 1, 8] x, float[1, 32, 8] w, float[1, 32, 8] r, float[1, 64] b)"
      " => (float[3, 1, 1, 8] y) <bool c = {1}>"
      "{ [i] y = If (c) <then_branch = t () => (p) { [a] p = LSTM <hidden_size = 8> (x, w, r, b) },"
      " else_branch = e () => (q) { [d] q = LSTM <hidden_size = 8> (x, w, r, b) }> }");
  const Tensor x = random_tensor({3, 1, 8}, 9);
  const std::vector<float> expected = run_lstm(*model, x);
  static_cast<void>(quantize(*model, dynamic_rules()));
  CHECK(noise_db(expected, run_lstm(*model, x)) > 28);
  std::int64_t constants = 0;
  for (const Value* value : model->graph->values()) constants += value->is_constant() ? 1 : 0;
  CHECK(constants == 8);  // codes (2), scales and zero points (4), biases, condition
}

TEST_CASE("an LSTM in a body of a body reads what the outermost graph holds") {
  const auto model = lstm_model(
      "g (float[3, 1, 8] x, float[1, 32, 8] w, float[1, 32, 8] r, float[1, 64] b,"
      " float[3, 1, 1, 8] o) => (float[3, 1, 1, 8] y) <bool c = {1}>"
      "{ [i] y = If (c) <then_branch = t () => (z) { [j] z = If (c) <"
      " then_branch = s () => (p) { [a] p = LSTM <hidden_size = 8> (x, w, r, b) },"
      " else_branch = u () => (q) { [d] q = Identity (o) }> },"
      " else_branch = e () => (v) { [k] v = Identity (o) }> }");
  const Tensor x = random_tensor({3, 1, 8}, 9);
  const std::vector<float> expected = run_lstm(*model, x);
  static_cast<void>(quantize(*model, dynamic_rules()));
  CHECK(noise_db(expected, run_lstm(*model, x)) > 28);
}

TEST_CASE("what reads a dynamic LSTM is not told that it computes in float") {
  const auto model = lstm_model(
      "g (float[2, 1, 8] x, float[1, 32, 8] w, float[1, 32, 8] r) => (float[2, 1, 1, 8] y)"
      "{ [a] s = LSTM <hidden_size = 8> (x, w, r) [b] y = Transpose (s) }");
  const QuantizePlan plan = quantize(*model, dynamic_rules());
  CHECK_FALSE(plan.nodes.back().is_quantized);
  CHECK(plan.nodes.back().reason.find("LSTM") == std::string::npos);
}

TEST_CASE("recurrent layers that no integer operator says keep floats, and tell why") {
  const auto reason = [](const std::string& graph, const PlanRules& rules) {
    const auto model = lstm_model(graph);
    const QuantizePlan plan = quantize(*model, rules);
    CHECK(operators(*model).find("DynamicQuantize") == std::string::npos);
    return plan.nodes.front().reason;
  };
  const std::string rows =
      "g (float[2, 1, 8] x, float[1, 32, 8] w, float[1, 32, 8] r)"
      " => (float[2, 1, 1, 8] y)";
  const std::string lstm = rows + "{ [a] y = LSTM <hidden_size = 8> (x, w, r) }";
  CHECK(reason("g (float[2, 1, 8] x, float[1, 24, 8] w, float[1, 24, 8] r)"
               " => (float[2, 1, 1, 8] y) { [a] y = GRU <hidden_size = 8> (x, w, r) }",
               dynamic_rules()) == "no operator computes GRU in integers, only LSTM");
  CHECK(reason("g (float[1, 2, 8] x, float[1, 32, 8] w, float[1, 32, 8] r)"
               " => (float[1, 2, 1, 8] y)"
               "{ [a] y = LSTM <hidden_size = 8, layout = 1> (x, w, r) }",
               dynamic_rules()) == "its layout is batch-first, which no operator supports");
  CHECK(reason(lstm, {}) == "LSTM computes in float");
  PlanRules refusing = dynamic_rules();
  refusing.refusal = [](const Node&) { return std::string("left out by --exclude"); };
  CHECK(reason(lstm, refusing) == "left out by --exclude");
}

}  // namespace
}  // namespace ortool
