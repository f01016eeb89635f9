// Converting to float32: other floats become float32 except at the model's inputs and outputs.
#include "libcore/optimize/precision/convert_float32.hpp"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> float32_of(const std::string& graph) {
  auto model = inferred_model("<ir_version: 8, opset_import: [\"\" : 18]>\n" + graph);
  convert_to_float32(*model, product_types(*model));
  verify(*model->graph);
  infer_shapes(*model);
  return model;
}

std::string listed_operators(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) text += std::string(node.op_type()) + " ";
  return text;
}

TEST_CASE("inputs and outputs keep their type, with casts between them and float32") {
  const auto model = float32_of(
      "g (float16[2, 2] x) => (float16[2, 2] y) <float16[2, 2] w = {1, 2, 3, 4}>"
      "{ [a] a = MatMul (x, w) [b] y = Relu (a) }");
  CHECK(listed_operators(*model->graph) == "Cast MatMul Relu Cast ");
  CHECK(model->graph->inputs()[0]->type().element == DataType::float16);
  CHECK(model->graph->outputs()[0]->type().element == DataType::float16);
  CHECK(model->graph->find_value("w")->constant().type() == DataType::float32);
  CHECK(model->graph->find_value("a")->type().element == DataType::float32);
}

TEST_CASE("an output that others read is read as float32") {
  const auto model = float32_of(
      "g (double[2, 2] x) => (double[2, 2] a, double[2, 2] y) <double[2, 2] w = {1, 2, 3, 4}>"
      "{ [a] a = MatMul (x, w) [b] y = MatMul (a, w) }");
  CHECK(listed_operators(*model->graph) == "Cast MatMul Cast MatMul Cast ");
  for (const Node& node : model->graph->nodes()) {
    if (node.op_type() == "MatMul") CHECK(node.output(0)->type().element == DataType::float32);
  }
}

TEST_CASE("attributes that name the type name float32, others stay") {
  const auto model = float32_of(
      "g (bfloat16[2, 2] x) => (bool[2, 2] y) <bfloat16[2, 2] w = {1, 2, 3, 4}, int64[2] s = {2, "
      "2}>"
      "{ [a] a = MatMul (x, w) [c] c = Cast <to = 7> (a) [d] d = Cast <to = 16> (c)"
      "  [e] y = Less (a, d) }");
  for (const Node& node : model->graph->nodes()) {
    if (node.name() == "c") CHECK(node.output(0)->type().element == DataType::int64);
    if (node.name() == "d") CHECK(node.output(0)->type().element == DataType::float32);
  }
}

TEST_CASE("what bodies compute and capture is float32 too") {
  const auto model = float32_of(
      "g (float16[2, 2] x, bool c) => (float16[2, 2] y) <float16[2, 2] w = {1, 2, 3, 4}>"
      "{ [i] z = If (c) <then_branch = t () => (float16[2, 2] p) { [a] p = MatMul (x, w) },"
      " else_branch = e () => (float16[2, 2] q) { [d] q = Relu (x) }> [r] y = Relu (z) }");
  for (const Graph* graph : graphs_in(*model->graph)) {
    for (const Node& node : graph->nodes()) {
      if (node.op_type() == "MatMul" || node.op_type() == "Relu")
        CHECK(node.output(0)->type().element == DataType::float32);
    }
  }
  CHECK(model->graph->inputs()[0]->type().element == DataType::float16);
}

TEST_CASE("numbers that float32 cannot hold become its largest, infinities stay") {
  const auto model = float32_of(
      "g (double[1, 1] x) => (double[1, 3] y) <double[1, 3] v = {1, 2, 3},"
      " double[1, 3] w = {-1e300, 2, inf}>"
      "{ [a] a = MatMul (x, v) [b] y = Add (a, w) }");
  const Tensor& w = model->graph->find_value("w")->constant();
  constexpr double most = std::numeric_limits<float>::max();
  CHECK(element_as_double(w, 0) == -most);
  CHECK(element_as_double(w, 1) == 2);
  CHECK(element_as_double(w, 2) == std::numeric_limits<double>::infinity());
}

TEST_CASE("other floats that no product reads stay as they are") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (double[2] x) => (double[2] y) { [a] y = Exp (x) }");
  CHECK(product_types(*model).empty());
}

}  // namespace
}  // namespace ortool
