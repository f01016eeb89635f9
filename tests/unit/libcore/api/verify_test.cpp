// Verification of two models on the same inputs: equal, different, and with other names.
#include "libcore/api/verify.hpp"

#include <catch2/catch.hpp>

#include "libcore/text/parse.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> model_of(const std::string& graph) {
  return parse_model("<ir_version: 8, opset_import: [\"\" : 18]> " + graph);
}

constexpr const char* twice =
    "g (float[3] x) => (float[3] y) { [m] a = Add (x, x) [r] y = Relu (a) }";
constexpr const char* thrice =
    "g (float[3] x) => (float[3] y) { [t] t = Add (x, x) [m] a = Add (t, x) [r] y = Relu (a) }";

VerifyOptions options_of_verify() {
  VerifyOptions options;
  options.compute.providers = default_providers();
  return options;
}

}  // namespace

TEST_CASE("models that compute the same pass, on random and on given inputs") {
  const auto model = model_of(twice);
  VerifyOptions options = options_of_verify();
  VerifyReport report = verify(*model, *model, options);
  CHECK(report.has_passed());
  REQUIRE(report.outputs.size() == 1);
  CHECK(report.outputs.front().name == "y");
  CHECK(report.outputs.front().verdict.comparison.max_abs_error == 0);
  CHECK_FALSE(report.search.has_value());

  options.inputs = {{"x", vector_of({1, 2, 3})}};
  CHECK(verify(*model, *model, options).has_passed());
  options.inputs = {{"z", vector_of({1, 2, 3})}, {"x", vector_of({1, 2, 3})}};
  CHECK_THROWS_AS(verify(*model, *model, options), Error);
}

TEST_CASE("the first value that differs is told") {
  VerifyOptions options = options_of_verify();
  options.inputs = {{"x", vector_of({1, 2, 3})}};
  const VerifyReport report = verify(*model_of(twice), *model_of(thrice), options);
  CHECK_FALSE(report.has_passed());
  REQUIRE(report.outputs.size() == 1);
  CHECK(report.outputs.front().verdict.comparison.max_abs_error == Approx(3));
  options.finds_divergence = false;
  CHECK_FALSE(verify(*model_of(twice), *model_of(thrice), options).search.has_value());
}

TEST_CASE("node by node, the first difference has a name") {
  const auto session_of = [](const char* text) {
    SessionOptions options = cpu_options();
    options.optimize = OptimizeLevel::none;
    return make_session("<ir_version: 8, opset_import: [\"\" : 18]> " + std::string(text), options);
  };
  const auto before = session_of(twice);
  const auto after = session_of(thrice);
  const NamedValues inputs = {{"x", vector_of({1, 2, 3})}};
  const std::vector<Output> outputs = {
      {"y", 0, before->run(inputs, {}).front(), before->outputs()[0]->type()}};
  const VerifyReport report =
      verify_run({*before, inputs, {}}, outputs, {*after, inputs, {}}, VerifyOptions());
  REQUIRE(report.search.has_value());
  REQUIRE(report.search->first.has_value());
  // a is matched with t, which is computed alike, not with the sum that has its name.
  CHECK(report.search->first->node == "r");
  CHECK(report.search->first->value == "y");
  CHECK(report.search->matched_values == 2);
  CHECK(report.search->values == 2);
}

TEST_CASE("values with other names are matched by the nodes that compute them") {
  const auto session_of = [](const char* text) {
    SessionOptions options = cpu_options();
    options.optimize = OptimizeLevel::none;
    return make_session("<ir_version: 8, opset_import: [\"\" : 18]> " + std::string(text), options);
  };
  const auto before = session_of(
      "g (float[3] x) => (float[3] y) { a = Neg (x) b = Exp (a) c = Abs (b) y = Neg (c) }");
  const auto after = session_of(
      "g (float[3] x) => (float[3] y) { p = Neg (x) q = Sin (p) c = Abs (q) y = Neg (c) }");
  const NamedValues inputs = {{"x", vector_of({1, 2, 3})}};
  const std::vector<Output> outputs = {
      {"y", 0, before->run(inputs, {}).front(), before->outputs()[0]->type()}};
  const VerifyReport report =
      verify_run({*before, inputs, {}}, outputs, {*after, inputs, {}}, VerifyOptions());
  REQUIRE(report.search.has_value());
  REQUIRE(report.search->first.has_value());
  // q has the place of b: Exp became Sin.
  CHECK(report.search->first->value == "b");
  CHECK(report.search->matched_values == 4);
  CHECK(report.search->values == 4);
}

TEST_CASE("floats of other types are compared, quantized values are not") {
  const auto session_of = [](const std::string& graph) {
    SessionOptions options = cpu_options();
    options.optimize = OptimizeLevel::none;
    return make_session(
        "<ir_version: 8, opset_import: [\"\" : 18]> g (float[3] x) => (float[3] y) " + graph,
        options);
  };
  const auto before = session_of("{ a = Neg (x) b = Exp (a) y = Abs (b) }");
  const auto narrow = session_of(
      "{ h = Cast <to = 10> (x) a = Neg (h) b = Sin (a) c = Cast <to = 1> (b) y = Abs (c) }");
  const auto quantized = session_of(
      "<float s = {1}, uint8 z = {0}> "
      "{ a = QuantizeLinear (x, s, z) b = DequantizeLinear (a, s, z) y = Abs (b) }");
  const NamedValues inputs = {{"x", vector_of({1, 2, 3})}};
  const std::vector<Output> outputs = {
      {"y", 0, before->run(inputs, {}).front(), before->outputs()[0]->type()}};
  const auto search_in = [&](const Session& other) {
    const VerifyReport report =
        verify_run({*before, inputs, {}}, outputs, {other, inputs, {}}, VerifyOptions());
    REQUIRE(report.search.has_value());
    REQUIRE(report.search->first.has_value());
    return *report.search;
  };
  CHECK(search_in(*narrow).first->value == "b");
  CHECK(search_in(*narrow).matched_values == 3);
  CHECK(search_in(*quantized).matched_values == 2);
}

TEST_CASE("values computed from weights that the session has taken are compared too") {
  // 128 x 128 floats: content that a session moves out of the graph.
  std::string weight;
  for (int i = 0; i < 128 * 128; ++i) weight += i == 0 ? "1" : ", 1";
  const auto session_of = [&](const char* last) {
    return make_session(
        "<ir_version: 8, opset_import: [\"\" : 18]> g (float[1, 128] x) => "
        "(float[1, 128] y) <float[128, 128] w = {" +
            weight + "}> { a = MatMul (x, w) b = Erf (a) y = " + last + " (b) }",
        cpu_options());
  };
  const auto before = session_of("Neg");
  const auto after = session_of("Exp");
  const NamedValues inputs = {{"x", random_tensor({1, 128}, 1)}};
  const std::vector<Output> outputs = {
      {"y", 0, before->run(inputs, {}).front(), before->outputs()[0]->type()}};
  const VerifyReport report =
      verify_run({*before, inputs, {}}, outputs, {*after, inputs, {}}, VerifyOptions());
  REQUIRE(report.search.has_value());
  REQUIRE(report.search->first.has_value());
  CHECK(report.search->first->value == "y");
}

TEST_CASE("tolerances are the caller's") {
  VerifyOptions options = options_of_verify();
  options.inputs = {{"x", vector_of({1, 2, 3})}};
  options.judge = Judge({.rtol = 1.0, .atol = 0.0});
  CHECK(verify(*model_of(twice), *model_of(thrice), options).has_passed());
}

TEST_CASE("inputs and outputs of other names are paired by position, with a warning") {
  std::vector<std::string> warnings;
  VerifyOptions options = options_of_verify();
  options.compute.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  const auto renamed = model_of("g (float[3] v) => (float[3] w) { a = Add (v, v) w = Relu (a) }");
  CHECK(verify(*model_of(twice), *renamed, options).has_passed());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() == "input 'x' is fed to 'v', by its position");
}

TEST_CASE("an output that the other model lacks is told, and nothing to compare is no pass") {
  const auto two =
      model_of("g (float[3] x) => (float[3] p, float[3] q) { p = Neg (x) q = Abs (x) }");
  const auto one = model_of("g (float[3] x) => (float[3] q) { q = Abs (x) }");
  VerifyReport report = verify(*two, *one, options_of_verify());
  CHECK(report.missing == std::vector<std::string>{"p"});
  CHECK(report.has_passed());
  const auto other = model_of("g (float[3] x) => (float[3] r) { r = Abs (x) }");
  report = verify(*two, *other, options_of_verify());
  CHECK(report.missing.size() == 2);
  CHECK_FALSE(report.has_passed());
}

}  // namespace ortool
