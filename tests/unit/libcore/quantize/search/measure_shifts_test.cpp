// Measured shifts: two consecutive products whose weights are off by known factors.
#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/quantize/search/techniques.hpp"
#include "tests/support/quantize_call.hpp"
#include "tests/support/reported_node.hpp"

namespace ortool {
namespace {

constexpr const char* chain =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[1, 1] x) => (float[1, 1] y)\n"
    "<float[1, 1] v = {1}, float[1] b = {0}, float[1, 1] w = {1}, float[1] c = {0}>\n"
    "{ [first] a = Gemm (x, v, b) [second] y = Gemm (a, w, c) }";

void set(Model& model, std::string_view name, const Shape& shape, double value) {
  Graph& graph = *model.graph;
  graph.set_constant(*graph.find_value(name),
                     Tensor::of<float>(shape, {static_cast<float>(value)}));
}

double shift_of(const PlanChoices& choices, std::string_view node) {
  const auto found = choices.nodes.find(node);
  return found != choices.nodes.end() && !found->second.bias_shift.empty()
             ? found->second.bias_shift.front()
             : 0;
}

/// Scales the first product by 1.5 and the second by 1.25, and subtracts the chosen shifts from the
/// biases.
MadePlan make_quantized(Model& model, const PlanChoices& choices) {
  set(model, "v", {1, 1}, 1.5);
  set(model, "w", {1, 1}, 1.25);
  set(model, "b", {1}, -shift_of(choices, "first"));
  set(model, "c", {1}, -shift_of(choices, "second"));
  MadePlan plan;
  plan.nodes = {node_of("first", "a", {"x"}), node_of("second", "y", {"a"})};
  for (ReportedNode& node : plan.nodes) {
    node.output = node.value;
    node.op_type = "Gemm";
    node.has_weights = node.has_bias = true;
  }
  return plan;
}

PlanChoices measured(BiasCorrectionScope reach) {
  test::QuantizeCall call(chain, {Tensor::of<float>({1, 1}, {1}), Tensor::of<float>({1, 1}, {3})});
  const CandidateBuilder builder(call.context(), call.model(), make_quantized);
  PlanChoices choices;
  measure_shifts(builder, call.floats(), call.data(), reach, choices);
  return choices;
}

TEST_CASE("the last bias takes what all products before it are off by") {
  const PlanChoices choices = measured(BiasCorrectionScope::last);
  CHECK(shift_of(choices, "first") == 0);
  // 1.5 * 1.25 x - x, where the mean of x is 2.
  CHECK(shift_of(choices, "second") == Approx(1.75));
}

TEST_CASE("a later bias takes no more than what is left behind the earlier one") {
  const PlanChoices choices = measured(BiasCorrectionScope::all);
  CHECK(shift_of(choices, "first") == Approx(1));
  // 1.25 (1.5 x - 1) - x
  CHECK(shift_of(choices, "second") == Approx(0.5));
}

}  // namespace
}  // namespace ortool
