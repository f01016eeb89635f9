// Tests of hints on the preprocessing of an input.
#include "libcore/inspect/preprocessing.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

PreprocessingHint hint_of(const std::string& input, const std::string& nodes,
                          const std::string& declared = "") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20], metadata_props: [\"imgsz\": \"640\", \"a\": "
      "\"b\"]> g (" +
      input + ") => (float[] y) " + declared + " {" + nodes + "}");
  PreprocessingHint hint = find_preprocessing(*model, *model->graph->inputs()[0]);
  for (PreprocessingStep& step : hint.steps) step.node = nullptr;
  return hint;
}

TEST_CASE("subtracting and dividing first is a mean and a deviation", "[inspect]") {
  const PreprocessingHint hint =
      hint_of("float[1, 3, 8, 8] x", "a = Sub (x, m)  b = Div (a, s)  y = Conv (b, w)",
              "<float[1, 3, 1, 1] m = {1, 2, 3}, float s = {4}, float[1, 3, 1, 1] w = {1, 1, 1}>");
  CHECK(hint.mean == std::vector<double>{1, 2, 3});
  CHECK(hint.std == std::vector<double>{4, 4, 4});
  REQUIRE(hint.steps.size() == 2);
  CHECK(hint.steps[0].meaning == "subtract");
  CHECK(hint.layout == "nchw");
}

TEST_CASE("a transpose to channels first says that the input has them last", "[inspect]") {
  const PreprocessingHint hint =
      hint_of("uint8[N, 8, 8, 3] x",
              "a = Cast <to = 1> (x)  b = Transpose <perm = [0, 3, 1, 2]> (a)  y = Conv (b, w)",
              "<float[1, 3, 1, 1] w = {1, 1, 1}>");
  CHECK(hint.layout == "nhwc");
  CHECK_THAT(hint.layout_reason, Catch::Contains("Conv"));
  CHECK(hint.steps.size() == 2);
  CHECK(hint.mean.empty());
}

TEST_CASE("a quantized input holds a range of numbers", "[inspect]") {
  const PreprocessingHint hint =
      hint_of("float[2] x", "a = QuantizeLinear (x, s, z)  y = DequantizeLinear (a, s, z)",
              "<float s = {0.5}, uint8 z = {128}>");
  REQUIRE(hint.range.has_value());
  CHECK(hint.range->first == -64.0);
  CHECK(hint.range->second == 63.5);
}

TEST_CASE("metadata that speaks of pictures is told for inputs that may be some", "[inspect]") {
  const PreprocessingHint picture = hint_of("float[1, 3, 8, 8] x", "y = Relu (x)");
  REQUIRE(picture.metadata.size() == 1);
  CHECK(picture.metadata[0].first == "imgsz");
  CHECK(hint_of("float[5] x", "y = Relu (x)").is_empty());
}

TEST_CASE("an input with several readers or an odd constant has no steps", "[inspect]") {
  CHECK(hint_of("float[2] x", "a = Sub (x, m)  y = Add (a, x)", "<float m = {1}>").steps.empty());
  CHECK(hint_of("float[2] x", "y = Sub (m, x)", "<float m = {1}>").steps.empty());
}

}  // namespace
}  // namespace ortool
