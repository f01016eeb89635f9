// Converting opsets: operators across versions, and nodes without an equivalent.
#include "libcore/optimize/opset/convert_opset.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/text/print.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

/// The main graph of `graph`, converted from opset `from` to opset `to`.
std::string converted(int from, int to, const std::string& graph) {
  const auto model =
      inferred_model(format("<ir_version: 4, opset_import: [\"\" : {}]>\n{}", from, graph));
  convert_opset(*model, to);
  verify(*model->graph);
  infer_shapes(*model);
  CHECK(model->graph->opset("") == to);
  CHECK(model->ir_version >= ir_version_of_opset(to));
  return print_graph(*model->graph);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("axes move between attribute and input") {
  const std::string graph =
      "g (float[2, 3, 1] x) => (float[2, 1] y) { s = Squeeze <axes = [2]> (x)"
      "  y = ReduceMean <axes = [1]> (s) }";
  const std::string up = converted(11, 18, graph);
  CHECK_FALSE(has(up, "axes"));
  CHECK(has(up, "int64[1]"));
  const std::string down =
      converted(18, 11,
                "g (float[2, 3, 1] x) => (float[2, 1] y) <int64[1] a = {2}, int64[1] b = {1}>"
                "{ s = Squeeze (x, a) y = ReduceMean (s, b) }");
  CHECK(has(down, "Squeeze <axes = [2]> (x)"));
  CHECK(has(down, "ReduceMean <axes = [1]> (s)"));
  CHECK_FALSE(has(down, "int64[1]"));
}

TEST_CASE("bounds of Clip become inputs of the data's type") {
  const std::string text = converted(
      6, 13, "g (float16[2] x) => (float16[2] y) { y = Clip <min = 0.0, max = 6.0> (x) }");
  CHECK(has(text, "float16"));
  CHECK_FALSE(has(text, "min"));
}

TEST_CASE("Softmax over several axes is spelled out where it became one axis") {
  const std::string last =
      converted(11, 13, "g (float[2, 3] x) => (float[2, 3] y) { y = Softmax (x) }");
  CHECK(has(last, "Softmax <axis = -1> (x)"));
  const std::string many = converted(
      11, 13, "g (float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Softmax <axis = 1> (x) }");
  CHECK(has(many, "Flatten <axis = 1> (x)"));
  CHECK(has(many, "y = Reshape"));
  const std::string named = converted(
      11, 13, "g (float[2, 3, 4] x) => (float[2, 3, 4] y) { [last] y = Softmax <axis = 1> (x) }");
  CHECK(has(named, "[last] y = Reshape"));
  CHECK(named.find("[last]") == named.rfind("[last]"));
  const std::string ones = converted(
      11, 13, "g (float[N, 3, 1, 1] x) => (float[N, 3, 1, 1] y) { y = Softmax <axis = 1> (x) }");
  CHECK(has(ones, "y = Softmax <axis = 1> (x)"));
  const std::string ones_down = converted(
      13, 11, "g (float[N, 3, 1, 1] x) => (float[N, 3, 1, 1] y) { y = Softmax <axis = 1> (x) }");
  CHECK(has(ones_down, "y = Softmax <axis = 1> (x)"));
  const std::string down =
      converted(13, 11, "g (float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Softmax (x) }");
  CHECK(has(down, "Softmax <axis = 2> (x)"));
}

TEST_CASE("Split without sizes says how many parts") {
  const std::string text = converted(
      13, 18, "g (float[4] x) => (float[2] a, float[2] b) { a, b = Split <axis = 0> (x) }");
  CHECK(has(text, "num_outputs = 2"));
}

TEST_CASE("operators that changed their names do so") {
  const std::string up =
      converted(9, 13,
                "g (float[1, 1, 2, 2] x) => (float[1, 1, 4, 4] y) <float[4] s = {1, 1, 2, 2}>"
                "{ y = Upsample <mode = \"nearest\"> (x, s) }");
  CHECK(has(up, "Resize"));
  CHECK(has(up, "asymmetric"));
}

TEST_CASE("Resize of opset 10 says at 11 that it counted from corners") {
  const std::string text =
      converted(10, 11,
                "g (float[1, 1, 2, 2] x) => (float[1, 1, 3, 3] y) <float[4] s = {1, 1, 1.5, 1.5}>"
                "{ y = Resize <mode = \"linear\"> (x, s) }");
  CHECK(has(text, "coordinate_transformation_mode = \"asymmetric\""));
  CHECK(has(text, "nearest_mode = \"floor\""));
  CHECK(has(text, "mode = \"linear\""));
}

TEST_CASE(
    "Resize of opset 10 rounds up at 11 along axes that become shorter, and down along others") {
  const auto resized = [](const std::string& scales) {
    return converted(10, 13,
                     "g (float[1, 1, 4, 4] x) => (float y) <float[4] s = " + scales +
                         "> { y = Resize <mode = \"nearest\"> (x, s) }");
  };
  const std::string shorter = resized("{1, 1, 0.6, 0.6}");
  CHECK(has(shorter, "nearest_mode = \"ceil\""));
  CHECK_FALSE(has(shorter, "floor"));
  const std::string longer = resized("{1, 1, 2, 2}");
  CHECK(has(longer, "nearest_mode = \"floor\""));
  CHECK_FALSE(has(longer, "ceil"));
  const std::string both = resized("{1, 1, 0.6, 2}");
  CHECK(has(both, "{1, 1, 0.6, 1}"));
  CHECK(has(both, "{1, 1, 1, 2}"));
  CHECK(both.find("ceil") < both.find("floor"));
}

TEST_CASE(
    "a mask of Dropout changes its type where nobody reads it, and has no form where one does") {
  const std::string unread =
      converted(7, 13, "g (float[2] x) => (float[2] y) { y, mask = Dropout (x) }");
  CHECK(has(unread, "y, mask = Dropout (x)"));
  CHECK_THROWS_WITH(
      converted(7, 13, "g (float[2] x) => (float[2] y, float[2] mask) { y, mask = Dropout (x) }"),
      Catch::Contains("its mask is used"));
}

TEST_CASE("a Dropout in training has no form behind opset 6") {
  CHECK_THROWS_WITH(converted(6, 13, "g (float[2] x) => (float[2] y) { y = Dropout (x) }"),
                    Catch::Contains("it is in training mode"));
  CHECK(has(converted(6, 13, "g (float[2] x) => (float[2] y) { y = Dropout <is_test = 1> (x) }"),
            "y = Dropout (x)"));
  CHECK(has(converted(7, 6, "g (float[2] x) => (float[2] y) { y = Dropout (x) }"), "is_test = 1"));
}

TEST_CASE("experimental operators that ONNX took back have no form, all told at once") {
  try {
    converted(9, 13,
              "g (float[1, 3, 4, 4] x) => (float[1, 3, 4, 4] y, float[1, 3, 4, 4] z)"
              "{ [one] y = Scale <scale = 2.0> (x)"
              "  [two] z = ScaledTanh <alpha = 2.0, beta = 1.0> (x) }");
    FAIL("both have no form");
  } catch (const Error& error) {
    REQUIRE(error.parts().size() == 2);
    CHECK(error.parts()[0].message() == "the operator was removed in opset 10");
    CHECK(error.parts()[1].node() == "'two' (ScaledTanh)");
  }
}

TEST_CASE("experiments that can be said in other words are") {
  const std::string text = converted(7, 13,
                                     "g (float[1, 2, 6, 8] x) => (float[1, 2, 2, 3] y)"
                                     "{ a = ImageScaler <scale = 2.0, bias = [1.0, 3.0]> (x)"
                                     "  b = Affine <alpha = 3.0, beta = 0.5> (a)"
                                     "  c = Crop <border = [1, 2, 1, 1]> (b)"
                                     "  y = Crop <border = [3, 1, 0, 0], scale = [2, 3]> (c) }");
  CHECK_FALSE(has(text, "ImageScaler <"));
  CHECK_FALSE(has(text, "Affine <"));
  CHECK_FALSE(has(text, "Crop <"));
  for (const char* part : {"{2, 1}", "{5, 7}", "{1, 3}", "{3, 6}"}) CHECK(has(text, part));
  CHECK_THROWS_WITH(converted(7, 13,
                              "g (float[1, 2, h, 8] x) => (float[1, 2, i, 6] y)"
                              "{ y = Crop <border = [1, 0, 1, 0]> (x) }"),
                    Catch::Contains("the size of its input is unknown"));
  CHECK_THROWS_WITH(
      converted(7, 13, "g (float16[2] x) => (float16[2] y) { y = Affine <alpha = 3.0> (x) }"),
      Catch::Contains("rounded before the addition"));
}

TEST_CASE("operands laid along an axis get ones behind them") {
  const std::string up = converted(6, 13,
                                   "g (float[2, 3, 4, 4] x, float[3] b) => (float[2, 3, 4, 4] y)"
                                   "{ y = Add <axis = 1, broadcast = 1> (x, b) }");
  CHECK(has(up, "Reshape"));
  CHECK_FALSE(has(up, "broadcast"));
  const std::string down =
      converted(7, 6, "g (float[2, 3] x, float[3] b) => (float[2, 3] y) { y = Add (x, b) }");
  CHECK(has(down, "Add <broadcast = 1> (x, b)"));
  CHECK_THROWS_WITH(
      converted(7, 6, "g (float[2, 1] x, float[2, 3] b) => (float[2, 3] y) { y = Add (x, b) }"),
      Catch::Contains("neither a suffix of the first's shape"));
}

TEST_CASE("the same words with another meaning are spelled out, or have no form") {
  CHECK(has(converted(10, 16,
                      "g (float[1, 1, 4, 4] x, float[1, 4] r, int64[1] b) => (float[1, 1, 1, 1] y)"
                      "{ y = RoiAlign (x, r, b) }"),
            "output_half_pixel"));
  CHECK(has(converted(6, 13, "g (float[2] x) => (float[2] y) { y = Clip <min = 0.0> (x) }"),
            "3.4028"));
  CHECK_THROWS_WITH(
      converted(13, 12,
                "g (float[2, 3] x, float[3] s) => (uint8[2, 3] y) { y = QuantizeLinear (x, s) }"),
      Catch::Contains("a single scale"));
  CHECK_THROWS_WITH(converted(23, 24, "g (float[2] x) => (int4[2] y) { y = Cast <to = 22> (x) }"),
                    Catch::Contains("floats outside the range of a 4-bit type"));
}

TEST_CASE("pads of some axes become pads of all") {
  const std::string text = converted(
      18, 13,
      "g (float[1, 2, 3] x) => (float[1, 2, 6] y) <int64[2] p = {1, 2}, int64[1] a = {-1}>"
      "{ y = Pad (x, p, , a) }");
  CHECK(has(text, "{0, 0, 1, 0, 0, 2}"));
}

TEST_CASE(
    "GroupNormalization gets a scale for each channel, which is repeated where it was of groups") {
  const std::string known =
      converted(20, 21,
                "g (float[2, 6, 3] x, float[2] s, float[2] b) => (float[2, 6, 3] y)"
                "{ y = GroupNormalization <num_groups = 2> (x, s, b) }");
  CHECK(has(known, "{1, 3}"));
  CHECK(has(known, "num_groups = 2"));
  CHECK_FALSE(has(known, "Shape ("));
  const std::string computed =
      converted(18, 21,
                "g (float[n, c, h] x, float[2] s, float[2] b) => (float[n, c, h] y)"
                "{ y = GroupNormalization <num_groups = 2> (x, s, b) }");
  CHECK(has(computed, "= Shape <"));
  CHECK(has(computed, "start = 1"));
  CHECK(has(computed, "= Expand ("));
}

TEST_CASE("GroupNormalization is spelled out where its form is deprecated or unknown") {
  for (const int opset : {20, 18, 13}) {
    const std::string text =
        converted(21, opset,
                  "g (float[n, 6, h, w] x, float[6] s, float[6] b) => (float[n, 6, h, w] y)"
                  "{ [norm] y = GroupNormalization <num_groups = 2, epsilon = 0.5> (x, s, b) }");
    CHECK(has(text, "InstanceNormalization <epsilon = 0.5>"));
    CHECK(has(text, "{0, 2, -1}"));
    CHECK(has(text, "{-1, 1, 1}"));
  }
  CHECK_THROWS_WITH(
      converted(21, 20,
                "g (float[] x, float[6] s, float[6] b) => (float[] y) { q = Squeeze (x)"
                "y = GroupNormalization <num_groups = 2> (q, s, b) }"),
      Catch::Contains("rank"));
}

TEST_CASE("every node without a form is told at once") {
  try {
    converted(20, 13,
              "g (float[2, 4] x) => (float[2, 4] y, float[2, 4] z) <float[4] s = {1, 1, 1, 1}>"
              "{ [one] y = LayerNormalization (x, s) [two] z = Gelu (x) }");
    FAIL("both have no form");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unsupported);
    REQUIRE(error.parts().size() == 2);
    CHECK(error.parts()[0].node() == "'one' (LayerNormalization)");
    CHECK(error.parts()[1].message() == "the operator was introduced in opset 20");
  }
}

TEST_CASE("what is computed cannot become an attribute") {
  CHECK_THROWS_WITH(
      converted(13, 11, "g (float[2, 1] x, int64[1] a) => (float[n] y) { y = Squeeze (x, a) }"),
      Catch::Contains("'axes' are computed"));
}

TEST_CASE("bodies are converted with the graph around them") {
  const std::string text = converted(
      11, 13,
      "g (bool c, float[2, 1] x) => (float[2] y) { y = If (c) <"
      "then_branch = t () => (float[2] p) { p = Squeeze <axes = [1]> (x) },"
      "else_branch = e () => (float[2] q) { s = Squeeze <axes = [1]> (x) q = Neg (s) }> }");
  CHECK_FALSE(has(text, "axes"));
}

TEST_CASE("a value of an attribute goes to no opset before its own, and stays early where it was") {
  const std::string wrap =
      "g (float[4] x) => (float[6] y) <int64[2] p = {1, 1}> { y = Pad <mode = \"wrap\"> (x, p) }";
  CHECK_THROWS_WITH(converted(19, 18, wrap),
                    Catch::Contains("mode 'wrap' was introduced in opset 19"));
  CHECK(has(converted(18, 13, wrap), "wrap"));
  CHECK(has(converted(13, 21, wrap), "wrap"));
  const std::string layer =
      "g (float[2, 4] x) => (float[2, 4] y) <float[4] s = {1, 2, 3, 4}>"
      "{ y = LayerNormalization (x, s) }";
  CHECK(has(converted(11, 17, layer), "LayerNormalization"));
  CHECK_THROWS_WITH(converted(17, 16, layer), Catch::Contains("was introduced in opset 17"));
}

TEST_CASE("MeanVarianceNormalization before opset 9 has its axes in another attribute") {
  const std::string text = converted(8, 13,
                                     "g (float[2, 3, 4, 5] x) => (float[2, 3, 4, 5] y)"
                                     "{ y = MeanVarianceNormalization <across_channels = 1> (x) }");
  CHECK(has(text, "axes = [0, 1, 2, 3]"));
  CHECK_FALSE(has(text, "across_channels"));
}

}  // namespace
}  // namespace ortool
