// Operators and attribute values used before the opset that introduced them.
#include "libcore/ops/early_use.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> model_of(int opset, const std::string& nodes) {
  return parse_model(
      format("<ir_version: 10, opset_import: [\"\": {}]> "
             "g (float[2, 4] x, float[4] s, int64[4] p) => (float[2, 4] y) { {} }",
             opset, nodes));
}

TEST_CASE("an operator is early where ONNX does not have it yet, or never has it") {
  const auto layer = model_of(13, "y = LayerNormalization (x, s)");
  const auto found = early_use(*layer->graph->first_node());
  REQUIRE(found);
  CHECK(found->is_operator);
  CHECK(found->describe() ==
        "operator LayerNormalization was introduced in opset 17 (the model has 13)");
  CHECK(opset_of_early_uses(*layer) == 17);
  CHECK_FALSE(early_use(*model_of(17, "y = LayerNormalization (x, s)")->graph->first_node()));
  const auto never = model_of(23, "y = SimplifiedLayerNormalization (x, s)");
  CHECK(early_use(*never->graph->first_node())->describe() ==
        "operator SimplifiedLayerNormalization is not a value that ONNX defines");
  CHECK(opset_of_early_uses(*never) == 0);
  CHECK_FALSE(early_use(*model_of(13, "y = Gelu (x)")->graph->first_node()));
}

TEST_CASE("a value of an attribute is early before the opset that brought it") {
  const auto found =
      early_use(*model_of(18, "y = Pad <mode = \"wrap\"> (x, p)")->graph->first_node());
  REQUIRE(found);
  CHECK_FALSE(found->is_operator);
  CHECK(found->since == 19);
  CHECK_FALSE(early_use(*model_of(19, "y = Pad <mode = \"wrap\"> (x, p)")->graph->first_node()));
  CHECK_FALSE(early_use(*model_of(18, "y = Pad <mode = \"edge\"> (x, p)")->graph->first_node()));
}

TEST_CASE("each kind of early use is told once, in bodies too") {
  const auto model = parse_model(R"(
    <ir_version: 10, opset_import: ["" : 16]>
    g (bool c, float[2, 4] x, float[4] s, int64[4] p) => (float[2, 4] y) {
      [one] a = LayerNormalization (x, s)
      y = If (c) <then_branch = yes () => (float[2, 4] t) { [two] t = LayerNormalization (a, s) },
                  else_branch = no () => (float[2, 4] e) { [three] e = Pad <mode = "wrap"> (a, p) }>
    })");
  const std::vector<std::string> warnings = early_use_warnings(*model);
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[0], Catch::Contains("'three' (Pad): mode 'wrap' was introduced in opset 19"));
  CHECK_THAT(warnings[1],
             Catch::Contains("'one' (LayerNormalization)") && Catch::Contains("and 1 more nodes"));
}

}  // namespace
}  // namespace ortool
