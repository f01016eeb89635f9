// Plans of small graphs: which nodes and values are quantized, and which scales they share.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> opset13_model(const std::string& graph) {
  return inferred_model("<ir_version: 8, opset_import: [\"\" : 13]>\n" + graph);
}

std::string quantized_nodes(const QuantizePlan& plan) {
  std::string text;
  for (const PlannedNode& planned : plan.nodes) {
    if (planned.is_quantized) text += (text.empty() ? "" : " ") + std::string(planned.node->name());
  }
  return text;
}

/// "x:0 y:1", each value with its group.
std::string values_of(const QuantizePlan& plan) {
  std::string text;
  for (const PlannedValue& planned : plan.values) {
    text += (text.empty() ? "" : " ") + std::string(planned.value->name()) + ":" +
            std::to_string(planned.group);
  }
  return text;
}

std::string reason_of(const QuantizePlan& plan, std::string_view name) {
  for (const PlannedNode& planned : plan.nodes) {
    if (planned.node->name() == name) return planned.reason;
  }
  return "not planned";
}

constexpr const char* two_convolutions =
    "g (float[1, 1, 4, 4] x) => (float[1, 1, 2, 2] y)"
    "<float[1, 1, 2, 2] w = {1, 2, 3, 4}, float[1, 1, 2, 2] v = {1, 2, 3, 4}>"
    "{ [a] p = Conv (x, w) [r] q = Relu (p) [b] y = Conv (q, v) }";

TEST_CASE("a plan quantizes convolutions with their Relu, and what they read and hand on") {
  const auto model = opset13_model(two_convolutions);
  const QuantizePlan plan = make_plan(*model, {});
  CHECK(quantized_nodes(plan) == "a r b");
  CHECK(values_of(plan) == "x:0 q:1 y:2");
  REQUIRE(plan.nodes.size() == 3);
  CHECK(plan.nodes[0].weight_input == 1);
  CHECK(plan.nodes[0].weight_axis == 0);
  CHECK(plan.nodes[0].end == plan.nodes[1].node);
}

TEST_CASE("a first convolution stays a float where it is little work, unless wanted") {
  const auto model = opset13_model(
      "g (float[1, 1, 8, 8] x, float[2, 1, 1, 1] w, float[16, 2, 3, 3] v) "
      "=> (float[1, 16, 6, 6] y) { [a] p = Conv (x, w) [b] y = Conv (p, v) }");
  Graph& graph = *model->graph;
  for (const char* name : {"w", "v"}) {
    Value& weights = *graph.find_value(name);
    const Shape shape = std::string(name) == "w" ? Shape{2, 1, 1, 1} : Shape{16, 2, 3, 3};
    graph.set_constant(weights, random_tensor(shape, 1));
    graph.make_default_constant(weights);
  }
  const QuantizePlan plan = make_plan(*model, {});
  CHECK(quantized_nodes(plan) == "b");
  CHECK(values_of(plan) == "p:0 y:1");
  CHECK(reason_of(plan, "a").find("is cheap") != std::string::npos);
  PlanRules rules;
  rules.is_wanted = [](const Node&) { return true; };
  CHECK(quantized_nodes(make_plan(*model, rules)) == "a b");
}

TEST_CASE("without scales a channel a plan has no axes") {
  const auto model = opset13_model(two_convolutions);
  PlanRules rules;
  rules.is_per_channel = false;
  CHECK_FALSE(make_plan(*model, rules).nodes[0].weight_axis.has_value());
}

TEST_CASE("a node that is refused says why, and so do nodes that it cuts off") {
  const auto model = opset13_model(
      "g (float[1, 1, 4, 4] x) => (float[1, 1, 2, 2] y)"
      "<float[1, 1, 2, 2] w = {1, 2, 3, 4}, float[1, 1, 2, 2] v = {1, 2, 3, 4}>"
      "{ [a] p = Conv (x, w) [s] q = Sigmoid (p) [b] y = Conv (q, v) }");
  PlanRules rules;
  rules.refusal = [](const Node& node) { return node.name() == "b" ? "no wish" : ""; };
  const QuantizePlan plan = make_plan(*model, rules);
  CHECK(quantized_nodes(plan) == "a");
  CHECK(reason_of(plan, "b") == "no wish");
  CHECK(reason_of(plan, "s") == "its result goes to 'b' (Conv), which computes in float");
}

TEST_CASE("what moves elements shares the scale of what it reads") {
  const auto model = opset13_model(
      "g (float[2, 4] x) => (float[2, 2] y)"
      "<float[4, 4] w = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},"
      " float[2, 2] v = {1, 2, 3, 4}, int64[2] s = {4, 2}, int64[1] z = {0}, int64[1] e = {2}>"
      "{ [a] p = MatMul (x, w) [m] q = Reshape (p, s) [n] r = Slice (q, z, e, z)"
      "  [b] y = MatMul (r, v) }");
  const QuantizePlan plan = make_plan(*model, {});
  CHECK(quantized_nodes(plan) == "a m n b");
  CHECK(values_of(plan) == "x:0 p:1 q:1 r:1");
}

TEST_CASE("parts of a concatenation have its scale unless others read them too") {
  const auto model = opset13_model(
      "g (float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y, float[1, 1, 2, 2] t)"
      "<float[1, 1, 1, 1] w = {1}, float[1, 2, 1, 1] v = {1, 2}>"
      "{ [a] p = Conv (x, w) [b] q = Conv (x, w) [c] r = Concat <axis = 1> (p, q)"
      "  [d] y = Conv (r, v) [e] t = Conv (q, w) }");
  const QuantizePlan plan = make_plan(*model, {});
  CHECK(values_of(plan) == "x:0 p:1 q:2 r:1 y:3 t:4");
}

TEST_CASE("the sums of a matrix product stay floats for a normalization behind them") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[2, 2] x) => (float[2, 2] y)"
      "<float[2, 2] w = {1, 2, 3, 4}, float[2] b = {1, 2}, float[2] s = {1, 1}>"
      "{ [a] p = MatMul (x, w) [c] q = Add (p, b) [d] r = Add (q, x)"
      "  [l] y = LayerNormalization (r, s) }");
  const QuantizePlan plan = make_plan(*model, {});
  CHECK(quantized_nodes(plan) == "a c");
  CHECK(values_of(plan) == "x:0");
  CHECK(reason_of(plan, "l") == "LayerNormalization computes in float");
}

TEST_CASE("the reason of a float node names where floats begin, or end") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[1, 1, 4, 4] x) => (float[1, 1, 4, 4] y, float[1, 1, 4, 4] z)"
      "<float[1, 1, 1, 1] w = {1}, int64[4] shape = {1, 1, 2, 8}, int64[4] square = {1, 1, 4, 4},"
      " float[1] one = {1}>"
      "{ [early] a = Reshape (x, shape) [back] b = Reshape (a, square) [c] p = Conv (b, w)"
      "  [n] q = InstanceNormalization (p, one, one) [behind] r = Transpose (q)"
      "  [moved] y = Reshape (r, square) [c2] s = Conv (b, w) [t1] t = Sigmoid (s)"
      "  [t2] z = Transpose (t) [size] u = Shape (p) }");
  PlanRules rules;
  rules.is_wanted = [](const Node&) { return true; };
  const QuantizePlan plan = make_plan(*model, rules);
  CHECK(reason_of(plan, "early") == "it reads a model input, before any quantized node");
  CHECK(reason_of(plan, "back") == "it reads a model input, before any quantized node");
  CHECK(reason_of(plan, "moved") ==
        "its input comes from 'n' (InstanceNormalization), which computes in float");
  CHECK(reason_of(plan, "t1") == "its result is a model output, which stays float");
  CHECK(reason_of(plan, "t2") == "its result is a model output, which stays float");
  CHECK(reason_of(plan, "size") == "not planned");
}

TEST_CASE("a product of two computed values is quantized only where that is wanted") {
  const auto model = opset13_model(
      "g (float[2, 2] x, float[2, 2] z) => (float[2, 2] y) { [a] y = MatMul (x, z) }");
  const QuantizePlan plan = make_plan(*model, {});
  CHECK(quantized_nodes(plan).empty());
  CHECK(reason_of(plan, "a").starts_with("both its operands are computed"));
  PlanRules rules;
  rules.is_wanted = [](const Node&) { return true; };
  CHECK(values_of(make_plan(*model, rules)) == "x:0 z:1");
}

TEST_CASE("both branches of an If are planned, with weights of the graph around them") {
  const auto model = opset13_model(
      "g (bool c, float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
      "{ [i] y = If (c) <then_branch = t () => (float[2, 2] p) { [a] p = MatMul (x, w) },"
      "  else_branch = e () => (float[2, 2] q) { [b] q = MatMul (w, x) }> }");
  const QuantizePlan plan = make_plan(*model, {});
  CHECK(quantized_nodes(plan) == "a b");
  CHECK(plan.values.size() == 2);
}

}  // namespace
}  // namespace ortool
