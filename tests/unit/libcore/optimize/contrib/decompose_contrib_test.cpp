// Decomposing onnxruntime's contrib operators, and which of them stay.
#include "libcore/optimize/contrib/decompose_contrib.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

/// The operators, in order, that nodes on x, w and b are decomposed into.
std::string decompose(const std::string& nodes, int opset = 13) {
  const std::unique_ptr<Model> model =
      parse_model("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                  ", \"com.microsoft\" : 1]>\ng (float[2, 3] x, float[3, 3] w, float[3] b, "
                  "uint8[3, 3] q, float s, uint8 p, float[2, 2, 3] t) => "
                  "(float[2, 3] y) { " +
                  nodes + " r = Relu (z) y = Neg (r) }");
  decompose_contrib_operators(*model);
  std::string text;
  for (const Node& node : model->graph->nodes()) {
    text += text.empty() ? "" : " ";
    if (!node.domain().empty()) text += std::string(node.domain()) + ".";
    text += node.op_type();
  }
  return text;
}

TEST_CASE("fused operators become those that they stand for") {
  CHECK(decompose("z = com.microsoft.FusedGemm <activation = \"Tanh\"> (x, w, b)") ==
        "Gemm Tanh Relu Neg");
  CHECK(decompose("z = com.microsoft.FusedMatMul <alpha = 0.5> (x, w)") == "MatMul Mul Relu Neg");
  CHECK(decompose("z = com.microsoft.FusedMatMul <transB = 1> (x, w)") == "Einsum Relu Neg");
  CHECK(decompose("z = com.microsoft.BiasGelu (x, b)") == "Add ortool.Gelu Relu Neg");
  CHECK(decompose("z = com.microsoft.SkipLayerNormalization (x, x, b)") ==
        "Add ortool.LayerNormalization Relu Neg");
  CHECK(decompose("z, m = com.microsoft.SkipLayerNormalization (x, x, b)") ==
        "Add ortool.LayerNormalization Relu Neg");
  CHECK(decompose("z = com.microsoft.FusedGemm <activation = \"Elu\"> (x, w, b)") ==
        "Gemm Elu Relu Neg");
  CHECK(decompose("z = com.microsoft.FusedMatMul <transBatchA = 1> (x, w)") == "MatMul Relu Neg");
  CHECK(decompose("z = com.microsoft.TransposeMatMul <transA = 1> (w, w)", 11) ==
        "Transpose MatMul Relu Neg");
}

TEST_CASE("batch axes between rows and columns are moved before the product") {
  CHECK(decompose("z = com.microsoft.FusedMatMul <transBatchA = 1, transB = 1> (t, t)") ==
        "Transpose Transpose MatMul Relu Neg");
}

TEST_CASE("what stands for a fused operator makes values of the same names") {
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n"
      "g (float[2, 3] x, float[3] w) => (float[2, 3] y, float[2, 3] out) "
      "{ s = com.microsoft.QuickGelu (x) "
      "y, , , sum = com.microsoft.SkipLayerNormalization (s, x, w) "
      "out = Neg (sum) }");
  decompose_contrib_operators(*model);
  const Graph& graph = *model->graph;
  for (const char* name : {"s", "y", "sum"}) {
    INFO(name);
    REQUIRE(graph.find_value(name) != nullptr);
    REQUIRE(graph.find_value(name)->producer() != nullptr);
  }
  CHECK(graph.find_value("s")->producer()->op_type() == "Swish");
  CHECK(graph.find_value("sum")->producer()->op_type() == "Add");
  CHECK(graph.outputs()[0]->producer()->op_type() == "LayerNormalization");
}

TEST_CASE("fused operators in bodies may read values from outside") {
  const auto model = parse_model(R"(<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (bool c, float[2, 3] x, float[3] w) => (float[2, 3] y) {
      y = If (c) <
        then_branch = t () => (float[2, 3] p) {
          s = com.microsoft.QuickGelu (x)
          p = com.microsoft.SkipLayerNormalization (s, x, w)
        },
        else_branch = e () => (float[2, 3] q) { q = com.microsoft.Gelu (x) }>
    })");
  decompose_contrib_operators(*model);
  const Graph& graph = *model->graph;
  CHECK(graph.first_node()->implicit_input_count() == 3);
  const std::vector<Graph*> bodies = graph.first_node()->subgraphs();
  CHECK(bodies[0]->find_value("s")->producer()->op_type() == "Swish");
  CHECK(bodies[0]->outputs()[0]->producer()->op_type() == "LayerNormalization");
  CHECK(bodies[1]->outputs()[0]->producer()->op_type() == "Gelu");
}

TEST_CASE("normalizations that the opset lacks are ortool's own") {
  CHECK(decompose("z = LayerNormalization (x, b)", 13) == "ortool.LayerNormalization Relu Neg");
  CHECK(decompose("z = LayerNormalization (x, b)", 17) == "LayerNormalization Relu Neg");
}

TEST_CASE("operators on bytes become the same on floats between them") {
  CHECK(decompose("z = com.microsoft.QLinearAdd (q, s, p, q, s, p, s, p)") ==
        "DequantizeLinear DequantizeLinear Add QuantizeLinear Relu Neg");
  CHECK(decompose("z = com.microsoft.QLinearConcat <axis = 0> (s, p, q, s, p, q, s, p)") ==
        "DequantizeLinear DequantizeLinear Concat QuantizeLinear Relu Neg");
  CHECK(decompose("z = com.microsoft.DynamicQuantizeMatMul (x, q, s, p, b)") ==
        "DynamicQuantizeLinear MatMulInteger Cast Mul Mul Add Relu Neg");
}

TEST_CASE("operators on bytes without such a form stay") {
  CHECK(
      decompose("z = com.microsoft.QLinearGlobalAveragePool <channels_last = 1> (q, s, p, s, p)") ==
      "com.microsoft.QLinearGlobalAveragePool Relu Neg");
  CHECK(decompose("z = com.microsoft.QLinearSoftmax <opset = 12> (q, s, p, s, p)") ==
        "DequantizeLinear Flatten Softmax Shape Reshape QuantizeLinear Relu Neg");
  CHECK(decompose("z = com.microsoft.QLinearAdd (q, s, p, q, s, p)") ==
        "com.microsoft.QLinearAdd Relu Neg");
  CHECK(decompose("z = com.microsoft.QLinearConcat <axis = 0> (s, p, q, s, p, q, s)") ==
        "com.microsoft.QLinearConcat Relu Neg");
}

TEST_CASE("what has no such form stays") {
  CHECK(decompose("z, m = com.microsoft.SkipSimplifiedLayerNormalization (x, x, b)") ==
        "com.microsoft.SkipSimplifiedLayerNormalization Relu Neg");
  CHECK(decompose("z = other.Gelu (x)") == "other.Gelu Relu Neg");
}

}  // namespace
}  // namespace ortool
