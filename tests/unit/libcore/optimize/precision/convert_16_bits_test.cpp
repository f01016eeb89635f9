// Converting to 16 bits: where casts are inserted, and what stays in float32.
#include "libcore/optimize/precision/convert_16_bits.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

struct Converted {
  std::unique_ptr<Model> model;
  FloatConversionReport report;

  std::string operators() const {
    std::string text;
    for (const Node& node : model->graph->nodes()) text += std::string(node.op_type()) + " ";
    return text;
  }
};

Converted converted_to(DataType type, const std::string& graph, int opset,
                       const std::string& kept = {}) {
  Converted result;
  result.model = inferred_model("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                                "]>\n" + graph);
  result.report = convert_to_16_bits(*result.model, type, [&](const Node& node) {
    return node.name() == kept ? std::string("asked for") : std::string();
  });
  verify(*result.model->graph);
  infer_shapes(*result.model);
  CHECK(result.model->graph->outputs()[0]->type().element == DataType::float32);
  return result;
}

Converted converted(const std::string& graph, const std::string& kept = {}) {
  return converted_to(DataType::float16, graph, 18, kept);
}

constexpr const char* chain =
    "g (float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
    "{ [a] a = MatMul (x, w) [b] b = Relu (a) [c] y = MatMul (b, w) }";

TEST_CASE("casts stand at the ends of what is converted, and weights are halves once") {
  const Converted result = converted(chain);
  CHECK(result.operators() == "Cast MatMul Relu MatMul Cast ");
  CHECK(result.report.converted == 3);
  int weights = 0;
  for (const Value* value : result.model->graph->values()) {
    if (!value->is_constant()) continue;
    ++weights;
    CHECK(value->constant().type() == DataType::float16);
  }
  CHECK(weights == 1);
  CHECK(result.model->graph->outputs()[0]->name() == "y");
}

TEST_CASE("a node that is kept reads float32") {
  const Converted result = converted(chain, "b");
  CHECK(result.operators() == "Cast MatMul Cast Relu Cast MatMul Cast ");
  REQUIRE(result.report.kept.size() == 1);
  CHECK(result.report.kept[0].reason == "asked for");
}

TEST_CASE("weights that float16 cannot hold keep their node") {
  const Converted large =
      converted("g (float[2] x) => (float[2] y) <float[2] w = {1, 70000}> { [a] y = Mul (x, w) }");
  CHECK(large.report.converted == 0);
  CHECK(large.report.kept[0].reason == "'w' contains 70000, which exceeds the range of float16");
  const Converted tiny =
      converted("g (float[2] x) => (float[2] y) <float e = {1e-12}> { [a] y = Add (x, e) }");
  CHECK(tiny.report.converted == 0);
}

TEST_CASE("in bfloat16, which has the range of float32, larger weights and smaller ones do") {
  const Converted result =
      converted_to(DataType::bfloat16,
                   "g (float[2] x) => (float[2] y) <float[2] w = {1, 70000}, float e = {1e-12}>"
                   "{ a = Mul (x, w) y = Add (a, e) }",
                   18);
  CHECK(result.operators() == "Cast Mul Add Cast ");
  CHECK(result.report.type == DataType::bfloat16);
  for (const Value* value : result.model->graph->values()) {
    if (value->is_constant()) CHECK(value->constant().type() == DataType::bfloat16);
  }
  const Converted largest =
      converted_to(DataType::bfloat16,
                   "g (float[1] x) => (float[1] y) <float[1] w = {3.4e38}> { y = Mul (x, w) }", 18);
  CHECK(largest.report.converted == 0);
  CHECK(largest.report.kept.size() == 1);
}

TEST_CASE("a node whose operator takes bfloat16 in a later opset is kept, and that opset named") {
  const std::string graph =
      "g (float[1, 1, 4] x) => (float[1, 1, 3] y) <float[1, 1, 2] w = {1, 2}>"
      "{ a = Conv (x, w) y = Relu (a) }";
  const Converted older = converted_to(DataType::bfloat16, graph, 21);
  CHECK(older.operators() == "Conv Cast Relu Cast ");
  REQUIRE(older.report.kept.size() == 1);
  CHECK(older.report.kept[0].reason == "Conv takes bfloat16 from opset 22 on");
  CHECK(converted_to(DataType::bfloat16, graph, 22).operators() == "Cast Conv Relu Cast ");
}

TEST_CASE("integers and the types of casts stay") {
  const Converted result = converted(
      "g (float[2, 3] x) => (float[n] y) { s = Shape (x) f = Cast <to = 1> (s) y = Neg (f) }");
  CHECK(result.operators() == "Shape Cast Cast Neg Cast ");
}

TEST_CASE("a type that an attribute names stays, whatever the operator") {
  const Converted drawn = converted(
      "g (float[2] x) => (float[2] y)"
      "{ a = Sigmoid (x) b = Bernoulli <dtype = 1> (a) y = Neg (b) }");
  CHECK(drawn.operators() == "Cast Sigmoid Cast Bernoulli Cast Neg Cast ");
  const Converted like = converted(
      "g (float[2] x) => (float[2] y)"
      "{ a = Abs (x) b = RandomNormalLike <dtype = 1> (a) y = Neg (b) }");
  CHECK(like.operators() == "Cast Abs Cast RandomNormalLike Cast Neg Cast ");
}

TEST_CASE("nodes in bodies are converted, and read halves of what they capture") {
  const Converted result = converted(
      "g (bool c, float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
      "{ [a] a = MatMul (x, w) [if] y = If (c) <"
      "then_branch = t () => (float[2, 2] p) { [p] p = MatMul (a, w) },"
      "else_branch = e () => (float[2, 2] q) { [r] r = Relu (a) [q] q = MatMul (r, x) }> }");
  CHECK(result.report.converted == 4);
  for (const Value* value : result.model->graph->values()) {
    if (value->is_constant()) CHECK(value->constant().type() == DataType::float16);
  }
  const Node* branch = nullptr;
  for (const Node& node : result.model->graph->nodes()) {
    if (node.op_type() == "If") branch = &node;
  }
  REQUIRE(branch != nullptr);
  std::string text;
  for (const Graph* body : branch->subgraphs()) {
    for (const Node& node : body->nodes()) text += std::string(node.op_type()) + " ";
    CHECK(body->outputs()[0]->type().element == DataType::float32);
  }
  CHECK(text == "MatMul Cast Relu MatMul Cast ");
}

TEST_CASE("halves are handed through bodies inside of bodies") {
  const Converted result = converted(
      "g (bool c, float[2] x) => (float[2] y) <float[2] w = {1, 2}>"
      "{ [a] a = Relu (x) y = If (c) <"
      "then_branch = t () => (float[2] p) { p = If (c) <"
      "then_branch = tt () => (float[2] pp) { [pp] pp = Mul (a, w) },"
      "else_branch = te () => (float[2] qq) { qq = Identity (a) }> },"
      "else_branch = e () => (float[2] q) { [q] q = Neg (w) }> }");
  CHECK(result.report.converted == 4);
  CHECK(result.report.kept.empty());
}

TEST_CASE("what a loop carries stays float32, cast where the body computes") {
  const Converted result = converted(
      "g (int64 n, float[2] x) => (float[2] y) <float[2] w = {1, 2}>"
      "{ y = Loop (n, , x) <body = b (int64 i, bool k, float[2] s) => (bool k2, float[2] s2)"
      "{ k2 = Identity (k) [m] m = Mul (s, w) [z] s2 = Sin (m) }> }");
  CHECK(result.report.converted == 2);
  const Graph& body = *result.model->graph->first_node()->subgraphs()[0];
  CHECK(body.inputs()[2]->type().element == DataType::float32);
  CHECK(body.outputs()[1]->type().element == DataType::float32);
}

}  // namespace
}  // namespace ortool
