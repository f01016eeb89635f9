// Models of old opsets written in later ones, and that they compute the same.
#include "libcore/quantize/raise_opset.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/copy_model.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::vector<float> run(const Model& model, const Tensor& x) {
  const Session session(copy_model(model), cpu_options());
  return floats(session.run({{"x", x}}, {}).front());
}

/// Raises the model and checks that it gives the same numbers.
void check_raise(const std::string& opset, const std::string& graph, const Shape& shape,
                 std::int64_t wanted) {
  const auto model =
      inferred_model("<ir_version: 8, opset_import: [\"\" : " + opset + "]>\n" + graph);
  const Tensor x = random_tensor(shape, 1);
  const std::vector<float> expected = run(*model, x);
  raise_opset(*model, wanted);
  infer_shapes(*model);
  CHECK(model->graph->opset("") == wanted);
  CHECK(run(*model, x) == expected);
}

TEST_CASE("attributes that became inputs are inputs after raising the opset") {
  check_raise("7", "g (float[2, 3] x) => (y) { y = Clip <min = -0.5, max = 0.25> (x) }", {2, 3},
              13);
  check_raise("9",
              "g (float[2, 3] x) => (y) { y = Slice <starts = [1], ends = [3], axes = [1]> (x) }",
              {2, 3}, 13);
  check_raise("7", "g (float[2, 3] x) => (y) { y = Pad <pads = [0, 1, 1, 0], value = 2.0> (x) }",
              {2, 3}, 13);
  check_raise("11",
              "g (float[1, 3] x) => (y) { z = Squeeze <axes = [0]> (x)"
              " y = Unsqueeze <axes = [1]> (z) }",
              {1, 3}, 13);
  check_raise("11", "g (float[2, 3] x) => (y) { y = ReduceSum <axes = [1], keepdims = 0> (x) }",
              {2, 3}, 13);
  check_raise("13", "g (float[2, 3] x) => (y) { y = ReduceMean <axes = [1]> (x) }", {2, 3}, 21);
}

TEST_CASE("Split names its parts where the later opset asks for them") {
  check_raise("11",
              "g (float[4, 2] x) => (y) { a, b = Split <axis = 0, split = [1, 3]> (x)"
              " y = Concat <axis = 0> (b, a) }",
              {4, 2}, 13);
  check_raise("13",
              "g (float[4, 2] x) => (y) { a, b = Split <axis = 0> (x)"
              " y = Concat <axis = 0> (b, a) }",
              {4, 2}, 21);
}

TEST_CASE("Softmax over several axes stays one over several axes") {
  check_raise("11", "g (float[2, 3, 4] x) => (y) { y = Softmax (x) }", {2, 3, 4}, 13);
  check_raise("11", "g (float[2, 3, 1] x) => (y) { y = Softmax (x) }", {2, 3, 1}, 13);
}

TEST_CASE("Upsample becomes the Resize that takes the same pixels") {
  check_raise("9",
              "g (float[1, 1, 2, 2] x) => (y) <float[4] s = {1, 1, 2, 2}>"
              "{ y = Upsample <mode = \"nearest\"> (x, s) }",
              {1, 1, 2, 2}, 13);
  check_raise("9",
              "g (float[1, 1, 2, 2] x) => (y) <float[4] s = {1, 1, 2, 2}>"
              "{ y = Upsample <mode = \"linear\"> (x, s) }",
              {1, 1, 2, 2}, 13);
}

TEST_CASE("bodies are raised with the graph around them") {
  check_raise("11",
              "g (float[2, 3] x) => (y) <bool c = {1}>"
              "{ y = If (c) <then_branch = t () => (p) { p = Clip (x) },"
              " else_branch = e () => (q) { q = ReduceSum <axes = [1]> (x) }> }",
              {2, 3}, 13);
}

TEST_CASE("what a later opset cannot say is refused with the node's name") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 11]>\n"
      "g (float[2, 3] x) => (float[2, 3] y, bool[2, 3] m) { [d] y, m = Dropout (x) }");
  CHECK_THROWS_WITH(raise_opset(*model, 13), Catch::Matchers::Contains("'d' (Dropout)"));
}

TEST_CASE("a model of an opset late enough stays as it is") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n g (float[2] x) => (float[2] y)"
      "{ y = Relu (x) }");
  raise_opset(*model, 13);
  CHECK(model->graph->opset("") == 17);
}

}  // namespace
}  // namespace ortool
