// Training operators: optimizer steps split their variadic inputs; Gradient names graph values.
#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

void check_refused(const std::string& answer, const std::string& part) {
  CHECK_THAT(answer, Catch::StartsWith("invalid: ") && Catch::Contains(part));
}

TEST_CASE("a step gives new tensors and new running sums", "[ops]") {
  const std::string_view two =
      "float r, int64 t, float[N] x1, double[3] x2, float[N] g1, double[3] g2, float[N] h1, "
      "double[3] "
      "h2";
  CHECK(inferred({"a, b, c, d = ai.onnx.preview.training.Adagrad(r, t, x1, x2, g1, g2, h1, h2)",
                  two}) == "float32[N], float64[3], float32[N], float64[3]");
  CHECK(inferred({"a, b, c = ai.onnx.preview.training.Adam(r, t, x, g, v, h)",
                  "float r, int64 t, float[2] x, float[2] g, float[2] v, float[2] h"}) ==
        "float32[2], float32[2], float32[2]");
  check_refused(
      inferred({"a, b, c = ai.onnx.preview.training.Adagrad(r, t, x1, x2, g1, g2, h1, h2)", two}),
      "8 inputs and 3 outputs");
  check_refused(inferred({"a, b = ai.onnx.preview.training.Adagrad(r, t, x1, x2, g1, g2)", two}),
                "6 inputs and 2 outputs");
  check_refused(inferred({"a, b = ai.onnx.preview.training.Adagrad(r, t, x, g, h)",
                          "float r, int64 t, float[2] x, float[3] g, float[2] h"}),
                "must be the same");
  const std::string momentum =
      "a, b = ai.onnx.preview.training.Momentum <alpha = 0.9, beta = 1.0, norm_coefficient = 0.0, "
      "mode = ";
  const std::string_view one = "float r, int64 t, float[2] x, float[2] g, float[2] v";
  CHECK(inferred({momentum + "\"nesterov\"> (r, t, x, g, v)", one}) == "float32[2], float32[2]");
  check_refused(inferred({momentum + "\"fast\"> (r, t, x, g, v)", one}), "'mode' is 'fast'");
}

TEST_CASE("a gradient has the shape of what it is taken by", "[ops]") {
  const std::string gradient = "c = Mul(a, b) da, db = ai.onnx.preview.training.Gradient <xs = ";
  const std::string_view inputs = "float[N, 3] a, float[3] b";
  CHECK(inferred({gradient + "[\"a\", \"b\"], y = \"c\"> (a, b)", inputs}) ==
        "float32[N x 3], float32[3]");
  check_refused(inferred({gradient + "[\"a\", \"q\"], y = \"c\"> (a, b)", inputs}),
                "the graph has no value 'q', which 'xs' names");
  check_refused(inferred({gradient + "[\"a\", \"b\"], y = \"q\"> (a, b)", inputs}),
                "the graph has no value 'q', which 'y' names");
  check_refused(inferred({gradient + "[\"a\", \"a\"], y = \"c\"> (a, b)", inputs}),
                "'a' is named twice");
  check_refused(inferred({gradient + "[\"a\"], y = \"c\"> (a)", inputs}), "1 inputs and 2 outputs");
  check_refused(inferred({gradient + "[\"a\", \"b\"], y = \"c\"> (a)", inputs}), "1 inputs and 2");
}

}  // namespace
}  // namespace ortool::test
