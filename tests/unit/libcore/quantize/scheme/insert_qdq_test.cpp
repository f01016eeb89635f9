// QDQ insertion: the resulting graph, and that it computes the same.
#include "libcore/quantize/scheme/insert_qdq.hpp"

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> float_model(const std::string& graph) {
  return inferred_model("<ir_version: 8, opset_import: [\"\" : 13]>\n" + graph);
}

std::int64_t count_nodes(const Graph& graph, std::string_view op_type) {
  std::int64_t found = 0;
  for (const Node& node : graph.nodes()) found += node.op_type() == op_type ? 1 : 0;
  return found;
}

/// A range of -8 to 8 in uint8 for every group.
PlanParams params_for(const QuantizePlan& plan) {
  PlanParams params;
  const GroupParams group{choose_scale({-8, 8}, {}), {}};
  params.groups.assign(static_cast<std::size_t>(plan.group_count), group);
  return params;
}

void quantize(Model& model) {
  const QuantizePlan plan = make_plan(model, {});
  insert_qdq(model, plan, params_for(plan));
  for (Graph* graph : {model.graph.get()}) verify(*graph);
  infer_shapes(model);
}

std::vector<float> run_inputs(const Model& model, const NamedValues& inputs) {
  const Session session(copy_model(model), cpu_options());
  return floats(session.run(inputs, {}).front());
}

double worst_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return worst;
}

constexpr const char* convolution =
    "g (float[1, 1, 3, 3] x) => (float[1, 2, 2, 2] y)"
    "<float[2, 1, 2, 2] w = {0.5, -1, 0.25, 1, 2, 0, -0.5, 1}, float[2] b = {0.5, -1}>"
    "{ [a] p = Conv (x, w, b) [r] y = Relu (p) }";

TEST_CASE("a quantized convolution computes nearly what the float one does") {
  const auto model = float_model(convolution);
  const Tensor x = Tensor::of<float>({1, 1, 3, 3}, {1, -1, 0.5F, 0, 2, 1.5F, -2, 0.25F, 1});
  const std::vector<float> expected = run_inputs(*model, {{"x", x}});
  quantize(*model);
  CHECK(count_nodes(*model->graph, "QuantizeLinear") == 2);
  CHECK(count_nodes(*model->graph, "DequantizeLinear") == 4);
  CHECK(worst_difference(run_inputs(*model, {{"x", x}}), expected) < 0.08);
}

TEST_CASE("an output of the graph keeps its name behind the pair that makes it") {
  const auto model = float_model(convolution);
  quantize(*model);
  const Value& output = *model->graph->outputs().front();
  CHECK(output.name() == "y");
  CHECK(output.producer()->op_type() == "DequantizeLinear");
}

TEST_CASE("weights become int8 with a scale a channel, and biases int32 in units of both scales") {
  const auto model = float_model(convolution);
  quantize(*model);
  const Node* node = nullptr;
  for (const Node& each : model->graph->nodes()) node = each.op_type() == "Conv" ? &each : node;
  REQUIRE(node != nullptr);
  const Node& weights = *node->input(1)->producer();
  CHECK(weights.input(0)->constant().type() == DataType::int8);
  CHECK(weights.input(1)->constant().element_count() == 2);
  const Node& bias = *node->input(2)->producer();
  CHECK(bias.input(0)->constant().type() == DataType::int32);
  CHECK(bias.input(1)->constant().data<float>()[0] ==
        choose_scale({-8, 8}, {}).scale * weights.input(1)->constant().data<float>()[0]);
}

TEST_CASE(
    "weights become floats after the nodes before their reader, so that few are there at once") {
  const auto model = float_model(
      "g (float[1, 4] x) => (float[1, 4] y)"
      "<float[4, 4] v = {1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1},"
      " float[4, 4] w = {1, 0, 3, 4, 5, 6, 0, 8, 8, 7, 0, 5, 4, 3, 2, 1}>"
      "{ [first] p = MatMul (x, v) [second] y = MatMul (p, w) }");
  quantize(*model);
  bool has_first = false;
  std::int64_t weights_behind = 0;
  for (const Node& node : model->graph->nodes()) {
    has_first = has_first || node.name() == "first";
    const bool is_of_weights = node.op_type() == "DequantizeLinear" && node.input(0)->is_constant();
    weights_behind += is_of_weights && has_first ? 1 : 0;
  }
  REQUIRE(weights_behind == 1);
}

TEST_CASE("weights that two nodes read are stored once") {
  const auto model = float_model(
      "g (float[2, 2] x) => (float[2, 2] y, float[2, 2] z) <float[2, 2] w = {1, 2, 3, 4}>"
      "{ [a] y = MatMul (x, w) [b] z = MatMul (x, w) }");
  quantize(*model);
  CHECK(model->graph->find_value("w") == nullptr);
  std::int64_t stored = 0;
  for (const Value* value : model->graph->values())
    stored += value->is_constant() && value->constant().shape().rank() == 2 ? 1 : 0;
  CHECK(stored == 1);
}

TEST_CASE("float readers of a float value go on reading it") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 0, 0, 1}, float[2] s = {1, 1}>"
      "{ [l] n = LayerNormalization (x, s) [a] p = MatMul (n, w) [d] y = Add (p, n) }");
  quantize(*model);
  const Node& sum = *model->graph->outputs().front()->producer();
  CHECK(sum.input(1)->producer()->op_type() == "LayerNormalization");
}

TEST_CASE("a body reads levels that lie in the graph around it") {
  const auto model = float_model(
      "g (bool c, float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
      "{ [i] y = If (c) <then_branch = t () => (float[2, 2] p) { [a] p = MatMul (x, w) },"
      "  else_branch = e () => (float[2, 2] q) { [b] q = Identity (x) }> }");
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, -3, 0.5F});
  const Tensor yes = Tensor::scalar(true);
  const std::vector<float> expected = run_inputs(*model, {{"c", yes}, {"x", x}});
  quantize(*model);
  CHECK(model->graph->find_value("w") == nullptr);
  CHECK(worst_difference(run_inputs(*model, {{"c", yes}, {"x", x}}), expected) < 0.3);
}

TEST_CASE("a body of a body reads levels and values that lie in the outermost graph") {
  const auto model = float_model(
      "g (bool c, float[2, 2] x, float[2, 2] o) => (float[2, 2] y)"
      "<float[2, 2] w = {1, 2, 3, 4}> { [i] y = If (c) <"
      "  then_branch = t () => (float[2, 2] r) { [j] r = If (c) <"
      "    then_branch = s () => (float[2, 2] p) { [a] p = MatMul (x, w) },"
      "    else_branch = u () => (float[2, 2] q) { [b] q = Identity (o) }> },"
      "  else_branch = e () => (float[2, 2] v) { [d] v = Identity (o) }> }");
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, -3, 0.5F});
  const NamedValues inputs = {{"c", Tensor::scalar(true)}, {"x", x}, {"o", x}};
  const std::vector<float> expected = run_inputs(*model, inputs);
  quantize(*model);
  CHECK(model->graph->find_value("w") == nullptr);
  CHECK(worst_difference(run_inputs(*model, inputs), expected) < 0.3);
}

TEST_CASE("weights that are not finite are refused with the node's name") {
  const auto model = float_model(
      "g (float[1, 2] x) => (float[1, 1] y) <float[2, 1] w = {1, inf}> { [a] y = MatMul (x, w) }");
  const QuantizePlan plan = make_plan(*model, {});
  CHECK_THROWS_WITH(insert_qdq(*model, plan, params_for(plan)),
                    Catch::Matchers::Contains("'a' (MatMul)"));
}

}  // namespace
}  // namespace ortool
