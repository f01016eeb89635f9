// Session checks: a session that computes something other than the model is detected.
#include "libcore/verify/session_check.hpp"

#include <catch2/catch.hpp>

#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr const char* model_text =
    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[3] x) => (float[3] y) { y = Relu (x) }";
constexpr const char* quantized_text =
    "<ir_version: 8, opset_import: [\"\" : 18]>"
    "g (float[3] x) => (float[3] y) <float s = {0.1}, uint8 z = {0}>"
    "{ q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z) }";

/// Creates sessions of `actual`, whatever model is requested.
StageRunner runner_of(std::string_view actual) {
  return {
      [actual](std::unique_ptr<Model>) { return make_session(actual); },
      [](const Session& session, const NamedValues& inputs) { return session.run(inputs, {}); }};
}

SessionCheck::Verdict check(const char* text, std::string_view actual) {
  const StageRunner runner = runner_of(actual);
  const SessionCheck session_check(JudgeOptions(), *parse_model(text), false, runner);
  const NamedValues inputs = {{"x", vector_of({1, -2, 3})}};
  const std::vector<RunValue> expected = make_session(text)->run(inputs, {});
  CheckedSessions sessions;
  return session_check.compare(
      sessions, [&] { return parse_model(text); },
      {inputs, expected, []() -> const OriginalStages* { return nullptr; }});
}

}  // namespace

TEST_CASE("a session that gives what the original gives node by node passes") {
  CHECK(check(model_text, model_text).has_passed);
  CHECK(check(quantized_text, quantized_text).has_passed);
}

TEST_CASE("a session that gives something else is told by its first output") {
  const SessionCheck::Verdict verdict = check(
      model_text,
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[3] x) => (float[3] y) { y = Neg (x) }");
  CHECK_FALSE(verdict.has_passed);
  CHECK(verdict.output == "y");
  CHECK_FALSE(verdict.reason.empty());
}

TEST_CASE("quantized outputs without stages may round the other way, and no more") {
  const auto with_scale = [](std::string_view scale) {
    return std::string(
               "<ir_version: 8, opset_import: [\"\" : 18]>"
               "g (float[3] x) => (float[3] y) <float s = {")
        .append(scale)
        .append("}> { r = Relu (x) y = Mul (r, s) }");
  };
  CHECK(check(quantized_text, with_scale("1.002")).has_passed);
  CHECK_FALSE(check(quantized_text, with_scale("-1")).has_passed);
}

}  // namespace ortool
