// Inlining functions: calls become nodes, in the main graph and in bodies.
#include "libcore/optimize/passes/inline_functions.hpp"

#include <catch2/catch.hpp>

#include "libcore/check/save_checked.hpp"
#include "libcore/graph/algorithms/nested_names.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

TEST_CASE("Calls become nodes, with attributes, defaults and left-out inputs") {
  auto model = parse_model(R"(
    <ir_version: 10, opset_import: ["" : 18, "local" : 1]>
    g (float[N] x) => (float[N] y, float[N] z) {
      a = local.f <alpha = 0.5> (x)
      y = local.twice (a)
      z = local.f (x)
    }
    <domain: "local", opset_import: ["" : 18]>
    f <alpha: float = 0.25> (v, low) => (w) {
      l = LeakyRelu <alpha: float = @alpha> (v)
      w = Clip (l, low)
    }
    <domain: "local", opset_import: ["" : 18, "local" : 1]>
    twice (v) => (w) {
      b = local.f <alpha = 1.0> (v)
      w = Add (b, b)
    })");
  inline_functions(*model);
  std::string operators;
  for (const Node& node : model->graph->nodes()) operators += std::string(node.op_type()) + " ";
  CHECK(operators == "LeakyRelu Clip LeakyRelu Clip Add Identity LeakyRelu Clip Identity ");
  CHECK(model->graph->outputs()[0]->name() == "y");
  const Session session(std::move(model), cpu_options());
  const auto outputs = session.run({{"x", vector_of({-4, 2})}}, {});
  CHECK(floats(outputs[0]) == std::vector<float>{-4, 4});
  CHECK(floats(outputs[1]) == std::vector<float>{-1, 2});
}

TEST_CASE("Functions are inlined inside the bodies of control flow, and may hold control flow") {
  const auto session = make_session(R"(
    <ir_version: 10, opset_import: ["" : 18, "local" : 1]>
    g (bool c, float[N] x) => (float[N] y) {
      y = If (c) <then_branch = yes () => (float[N] t) { t = local.choose (c, x) },
                  else_branch = no () => (float[N] e) { e = Identity(x) }>
    }
    <domain: "local", opset_import: ["" : 18]>
    choose (d, v) => (w) {
      w = If (d) <then_branch = yes () => (t) { t = Neg(v) },
                  else_branch = no () => (e) { e = Abs(v) }>
    })");
  const auto outputs = session->run({{"c", Tensor::scalar(true)}, {"x", vector_of({1, -2})}}, {});
  CHECK(floats(outputs[0]) == std::vector<float>{-1, 2});
}

TEST_CASE("Values of a function's bodies clash with none of the graph that calls it") {
  // As skl2onnx writes an imputer: the graph has a value X, and so has a branch of the function.
  auto model = parse_model(R"(
    <ir_version: 10, opset_import: ["" : 18, "local" : 1]>
    g (bool c, float[N] X) => (float[N] y) {
      a = local.f (c, X)
      y = If (c) <then_branch = yes () => (float[N] t) { t = local.f (c, a) },
                  else_branch = no () => (float[N] e) { e = local.f (c, X) }>
    }
    <domain: "local", opset_import: ["" : 18]>
    f (d, v) => (w) {
      w = If (d) <then_branch = yes () => (X) { a = Neg(v) X = Abs(a) },
                  else_branch = no () => (y) { y = Abs(v) }>
    })");
  inline_functions(*model);
  model->functions.clear();
  verify_names(*model->graph);
  CHECK(model->graph->inputs()[1]->name() == "X");
  CHECK(model->graph->outputs()[0]->name() == "y");
  check_before_save(*model);
}

TEST_CASE("Functions that call each other in a circle are refused") {
  CHECK_THROWS_AS(make_session(R"(
    <ir_version: 10, opset_import: ["" : 18, "local" : 1]>
    g (float[N] x) => (float[N] y) { y = local.a (x) }
    <domain: "local", opset_import: ["" : 18, "local" : 1]>
    a (v) => (w) { w = local.b (v) }
    <domain: "local", opset_import: ["" : 18, "local" : 1]>
    b (v) => (w) { w = local.a (v) })"),
                  Error);
}
