// QOperator format: which clusters become integer operators, and the report about the others.
#include "libcore/quantize/scheme/qoperator_format.hpp"

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// The model with a QDQ pair at each value of its plan, all with a range of -4 to 4.
std::unique_ptr<Model> quantized_model(const std::string& graph) {
  auto model = inferred_model("<ir_version: 8, opset_import: [\"\" : 17]>\n" + graph);
  Graph& main = *model->graph;
  const std::vector<Value*> inputs(main.inputs().begin(), main.inputs().end());
  unsigned seed = 0;
  for (Value* input : inputs) {
    if (input->name() == "x" || input->name() == "c") continue;
    std::vector<std::int64_t> sizes;
    for (const Dimension& size : *input->type().shape) sizes.push_back(size.number());
    main.set_constant(*input, random_tensor(Shape(sizes), ++seed));
    main.make_default_constant(*input);
  }
  const QuantizePlan plan = make_plan(*model, {});
  PlanParams params;
  params.groups.assign(static_cast<std::size_t>(plan.group_count), {choose_scale({-4, 4}, {}), {}});
  insert_qdq(*model, plan, params);
  infer_shapes(*model);
  return model;
}

std::vector<float> run_as_written(const Model& model, const NamedValues& inputs) {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const Session session(copy_model(model), std::move(options));
  return floats(session.run(inputs, {}).front());
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

TEST_CASE("convolutions and products become operators on integers, sums stay between pairs") {
  const auto model = quantized_model(
      "g (float[1, 4, 6, 6] x, float[8, 4, 3, 3] w, float[8] b, float[8, 8, 1, 1] v,"
      " float[8, 8, 1, 1] u, float[8, 5] t) => (float[1, 5] y)"
      "{ [a] a = Conv (x, w, b) [r] r = Relu (a) [p] p = Conv (r, v) [q] q = Conv (r, u)"
      "  [s] s = Add (p, q) [m] m = GlobalMaxPool (s) [f] f = Flatten (m) [g] y = Gemm (f, t) }");
  const NamedValues inputs = {{"x", random_tensor({1, 4, 6, 6}, 9)}};
  const std::vector<float> expected = run_as_written(*model, inputs);
  const QOperatorSummary form = use_integer_operators(*model, nullptr);
  verify(*model->graph);
  CHECK(form.operators ==
        std::map<std::string, std::int64_t>{{"MatMulInteger", 1}, {"QLinearConv", 3}});
  CHECK(form.clusters_left == 2);  // the sum, and the pool, which has no int8 form
  CHECK(largest_difference(run_as_written(*model, inputs), expected) < 0.2);
}

TEST_CASE("bodies get operators on integers that read scales of the graph around them") {
  const auto model = quantized_model(
      "g (float[1, 4, 6, 6] x, bool c, float[4, 4, 1, 1] w) => (float[1, 4, 6, 6] y)"
      "{ [i] y = If (c) <then_branch = t () => (float[1, 4, 6, 6] p) {"
      " [a] a = Conv (x, w) [b] b = Relu (a) [d] d = Conv (b, w) [e] e = Relu (d)"
      " [h] p = Conv (e, w) },"
      " else_branch = e () => (float[1, 4, 6, 6] q) { [j] q = Relu (x) }> }");
  const Tensor yes = Tensor::of<bool>(Shape{}, {true});
  const NamedValues inputs = {{"x", random_tensor({1, 4, 6, 6}, 9)}, {"c", yes}};
  const std::vector<float> expected = run_as_written(*model, inputs);
  const QOperatorSummary form = use_integer_operators(*model, nullptr);
  verify(*model->graph);
  CHECK(form.operators.at("QLinearConv") >= 2);
  CHECK(largest_difference(run_as_written(*model, inputs), expected) < 0.2);
}

TEST_CASE("a second look at a model in the QOperator form changes nothing") {
  const auto model = quantized_model(
      "g (float[1, 4, 6, 6] x, float[8, 4, 3, 3] w, float[8, 8, 1, 1] v) => (float[1, 8, 4, 4] y)"
      "{ [a] a = Conv (x, w) [r] r = Relu (a) [p] y = Conv (r, v) }");
  static_cast<void>(use_integer_operators(*model, nullptr));
  const std::int64_t nodes = model->graph->node_count();
  static_cast<void>(use_integer_operators(*model, nullptr));
  CHECK(model->graph->node_count() == nodes);
}

}  // namespace
}  // namespace ortool
