// Quantization context: outputs are compared with those of the model as loaded.
#include "libcore/quantize/pipeline/quantize_context.hpp"

#include <catch2/catch.hpp>

#include "tests/support/quantize_call.hpp"

namespace ortool {
namespace {

constexpr const char* negation =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y) { y = Neg (x) }";

constexpr const char* wrong =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y) <float tenth = {1.1}>\n"
    "{ a = Neg (x) y = Mul (a, tenth) }";

std::vector<Tensor> two_samples() {
  return {vector_of({1, 2}), vector_of({-3, 0.5F})};
}

TEST_CASE("what preparation does wrong shows in the errors of the outputs") {
  // The prepared and quantized models are the same: only the original reveals the error.
  test::QuantizeCall call(wrong, two_samples());
  call.result().end_to_end.samples = 2;
  compare_with_original(call.context(), *inferred_model(negation), call.model());
  const std::vector<OutputError>& outputs = call.result().end_to_end.outputs;
  REQUIRE(outputs.size() == 1);
  CHECK(outputs.front().name == "y");
  CHECK(outputs.front().sums.count() == 4);
  CHECK(outputs.front().sums.sqnr_db() == Approx(20).margin(0.01));
}

/// Eight runs of a prepared and a quantized model.
std::vector<ComparedRun> eight_runs(const char* prepared, const char* quantized) {
  const auto expected = make_session(prepared);
  const auto found = make_session(quantized);
  std::vector<ComparedRun> runs;
  for (unsigned i = 0; i < 8; ++i) {
    const NamedValues inputs = {{"x", random_tensor({2}, i)}};
    runs.push_back({inputs, expected->run(inputs, {}), found->run(inputs, {})});
  }
  return runs;
}

TEST_CASE("runs that were kept are compared with the original where preparation shows") {
  test::QuantizeCall call(wrong, two_samples());
  call.result().end_to_end.runs = eight_runs(wrong, wrong);
  compare_with_original(call.context(), *inferred_model(negation), call.model());
  const std::vector<OutputError>& outputs = call.result().end_to_end.outputs;
  REQUIRE(outputs.size() == 1);
  CHECK(outputs.front().sums.count() == 16);
  CHECK(outputs.front().sums.sqnr_db() == Approx(20).margin(0.01));
  CHECK(call.result().end_to_end.runs.empty());
}

TEST_CASE("errors beside the prepared model stay where it differs from the original by nothing") {
  test::QuantizeCall call(negation, two_samples());
  call.result().end_to_end.runs = eight_runs(negation, wrong);
  call.result().end_to_end.outputs.resize(1);
  call.result().end_to_end.outputs.front().name = "as before";
  compare_with_original(call.context(), *inferred_model(negation), call.model());
  CHECK(call.result().end_to_end.outputs.front().name == "as before");
}

TEST_CASE("errors beside the prepared model stay where the original cannot be run") {
  test::QuantizeCall call(negation, two_samples());
  call.result().end_to_end.outputs.resize(1);
  call.result().end_to_end.outputs.front().name = "as before";
  compare_with_original(call.context(),
                        *inferred_model("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                        "g (float[2] x) => (float[2] y) { y = Scaler (x) }"),
                        call.model());
  CHECK(call.result().end_to_end.outputs.front().name == "as before");
  CHECK(call.warnings().size() == 1);
}

}  // namespace
}  // namespace ortool
