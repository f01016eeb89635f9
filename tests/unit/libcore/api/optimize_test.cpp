// Optimizing a model in one call: results, verification, and callbacks on the way.
#include "libcore/api/optimize.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// Two rules apply: x * sigmoid(x), and a Transpose that moves nothing.
constexpr const char* swish_text =
    "<ir_version: 8, opset_import: [\"\" : 24]> g (float[n, 3] x) => (float[n, 3] y) {"
    " s = Sigmoid (x) m = Mul (x, s) y = Transpose <perm = [0, 1]> (m) }";

OptimizeOptions options_of_optimize() {
  OptimizeOptions options;
  options.compute.providers = default_providers();
  return options;
}

std::string operators_of(const Model& model) {
  std::string text;
  for (const Node& node : model.graph->nodes())
    text += (text.empty() ? "" : " ") + std::string(node.op_type());
  return text;
}

}  // namespace

TEST_CASE("a model is rewritten in place, and its size told") {
  const auto model = parse_model(swish_text);
  const OptimizeReport report = optimize(*model, options_of_optimize());
  CHECK(operators_of(*model) == "Swish");
  CHECK(report.before.nodes == 3);
  CHECK(report.after.nodes == 1);
  CHECK(report.rewrites.rewrites >= 2);
  CHECK_FALSE(report.verification.has_passed.has_value());
  CHECK_FALSE(report.differs());
}

TEST_CASE("the result is compared with the original in as many runs as are asked for") {
  const auto model = parse_model(swish_text);
  OptimizeOptions options = options_of_optimize();
  options.runs = 2;
  const OptimizeReport report = optimize(*model, options);
  CHECK(report.verification.runs == 2);
  CHECK(report.verification.has_passed == true);
  CHECK(report.verification.max_abs_error < 1e-5);
  CHECK_FALSE(report.failing_part.has_value());
}

TEST_CASE("the lowest opset that would leave the fewest nodes is reported") {
  OptimizeOptions options = options_of_optimize();
  options.finds_opset_gain = true;
  const auto gain_of = [&](const char* text) {
    const auto model = parse_model(text);
    return optimize(*model, options).opset_gain;
  };
  constexpr const char* old_swish =
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[n, 3] x) => (float[n, 3] y) {"
      " s = Sigmoid (x) y = Mul (x, s) }";
  const std::optional<OpsetGain> swish = gain_of(old_swish);
  REQUIRE(swish.has_value());
  CHECK(swish->opset == 24);
  CHECK(swish->nodes == 1);
  const std::optional<OpsetGain> hard_swish = gain_of(
      "<ir_version: 7, opset_import: [\"\" : 13]> g (float[n, 3] x) => (float[n, 3] y) {"
      " s = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x) y = Mul (x, s) }");
  REQUIRE(hard_swish.has_value());
  CHECK(hard_swish->opset == 14);
  CHECK_FALSE(gain_of(swish_text).has_value());
  CHECK_FALSE(gain_of("<ir_version: 8, opset_import: [\"\" : 18]> g (float[n, 3] x) => "
                      "(float[n, 3] y) { y = Relu (x) }")
                  .has_value());
  options.opset = 18;
  CHECK_FALSE(gain_of(old_swish).has_value());
}

TEST_CASE("preprocessing is embedded in the opset that the model is converted to") {
  const auto model = parse_model(
      "<ir_version: 7, opset_import: [\"\" : 13]> g (float[1, 8, 8, 3] x) => "
      "(float[1, 8, 8, 3] y) { y = Relu (x) }");
  OptimizeOptions options = options_of_optimize();
  options.runs = 1;
  options.source.embedded_pictures = {"x=resize:8x8,scale:1/255"};
  options.opset = 18;
  const OptimizeReport report = optimize(*model, options);
  CHECK(model->opset("") == 18);
  CHECK(report.verification.has_passed == true);
  REQUIRE(report.embeddings.size() == 1);
  CHECK(report.embeddings.front().has_passed);

  const auto old = parse_model(
      "<ir_version: 7, opset_import: [\"\" : 13]> g (float[1, 8, 8, 3] x) => "
      "(float[1, 8, 8, 3] y) { y = Relu (x) }");
  options.opset = 0;
  CHECK_THROWS_WITH(optimize(*old, options), Catch::Contains("requires opset 18"));
}

TEST_CASE("levels and passes choose what runs") {
  const auto none = parse_model(swish_text);
  OptimizeOptions options = options_of_optimize();
  options.level = OptimizeLevel::none;
  optimize(*none, options);
  CHECK(operators_of(*none) == "Sigmoid Mul Transpose");

  const auto one = parse_model(swish_text);
  options.passes = {"fuse-swish"};
  optimize(*one, options);
  CHECK(operators_of(*one) == "Swish Transpose");
}

TEST_CASE("a rule that computes something else is found, with the part that shows it") {
  Rule wrong = {.name = "forget-negation",
                .summary = "Neg(Relu(x)) -> Relu(x), which is wrong",
                .level = OptimizeLevel::basic,
                .pattern = op("Neg", {op("Relu", {any("x")}).as("r")}),
                .replace = [](Replacement& replacement) -> Value& {
                  return replacement.add("Relu", {&replacement["x"]});
                }};
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[3] x) => (float[3] y) {"
      " a = Abs (x) r = Relu (a) [n] y = Neg (r) }");
  OptimizeOptions options = options_of_optimize();
  options.groups = {{"own", OptimizeLevel::basic, {wrong}}};
  options.runs = 1;
  options.finds_failing_part = true;
  const OptimizeReport report = optimize(*model, options);
  CHECK(report.differs());
  REQUIRE(report.verification.culprit.has_value());
  CHECK(report.verification.culprit->pass == "forget-negation");
  REQUIRE(report.failing_part.has_value());
  CHECK(report.failing_part->is_part);
  CHECK(operators_of(*report.failing_part->before) == "Relu Neg");
}

TEST_CASE("calls of functions are inlined, which copies of the model need") {
  const auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\" : 24, \"own\" : 1]>"
      "g (float[3] x) => (float[3] y) { y = own.twice (x) }"
      "<domain: \"own\", opset_import: [\"\" : 24]> twice (a) => (b) { b = Add (a, a) }");
  OptimizeOptions options = options_of_optimize();
  options.runs = 1;
  const OptimizeReport report = optimize(*model, options);
  CHECK(model->functions.empty());
  CHECK(operators_of(*model) == "Add");
  CHECK(report.verification.has_passed == true);
}

TEST_CASE("the caller sees the model before and after it is rewritten, and may end the call") {
  const auto model = parse_model(swish_text);
  OptimizeOptions options = options_of_optimize();
  options.runs = 1;
  std::string seen;
  options.on_prepared = [&](const Model& original) { seen += operators_of(original) + " -> "; };
  options.on_rewritten = [&](const Model& rewritten, const OptimizeReport& report) {
    seen += operators_of(rewritten);
    CHECK(report.verification.runs == 0);
    throw Error(ErrorCode::invalid, "enough");
  };
  CHECK_THROWS_WITH(optimize(*model, options), Catch::Contains("enough"));
  CHECK(seen == "Sigmoid Mul Transpose -> Swish");
}

TEST_CASE("a stop request ends the call") {
  const auto model = parse_model(swish_text);
  StopToken stop;
  stop.request(ErrorCode::interrupted);
  OptimizeOptions options = options_of_optimize();
  options.compute.stop = &stop;
  CHECK_THROWS_AS(optimize(*model, options), Error);
}

}  // namespace ortool
