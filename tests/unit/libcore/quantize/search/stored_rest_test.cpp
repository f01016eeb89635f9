// Weights of an LSTM that stays in float: stored as integers only where the output hardly shows it.
#include "libcore/quantize/search/stored_rest.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/quantize_call.hpp"

namespace ortool {
namespace {

constexpr const char* negation =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y) <float one = {1}>\n"
    "{ a = Neg (x) y = Mul (a, one) }";

/// Multiplies the result as the choices say: by `stored` while weights are stored as integers.
MakeQuantized off_by(float stored, float floating, std::int64_t tensors) {
  return [=](Model& model, const PlanChoices& choices) {
    Graph& graph = *model.graph;
    graph.set_constant(*graph.find_value("one"),
                       Tensor::scalar(choices.stores_rest ? stored : floating));
    MadePlan plan;
    plan.stored_rest = choices.stores_rest ? tensors : 0;
    return plan;
  };
}

/// Whether the remaining weights are stored in the end.
bool stays_stored(const MakeQuantized& make) {
  test::QuantizeCall call(negation, {vector_of({1, 2}), vector_of({-3, 0.5F})});
  const CandidateBuilder builder(call.context(), call.model(), make);
  PlanChoices choices;
  Candidate candidate = builder.make(choices);
  const TaskContext& task = call.context().task;
  EndToEnd compared =
      compare_models(task, call.context().machine, call.floats(), *candidate.model, call.data());
  const double before = worst_sqnr_db(compared.outputs);
  leave_rest_in_float(builder, call.floats(), call.data(), choices, candidate, compared);
  CHECK(candidate.plan.stored_rest == make(*inferred_model(negation), choices).stored_rest);
  CHECK((worst_sqnr_db(compared.outputs) == before) == choices.stores_rest);
  return choices.stores_rest;
}

TEST_CASE("weights of float operators stay in float where storing them doubles the noise") {
  CHECK_FALSE(stays_stored(off_by(1.1F, 1.01F, 3)));
  CHECK_FALSE(stays_stored(off_by(1.1F, 1.06F, 3)));
}

TEST_CASE("weights of float operators are stored where the output hardly shows it") {
  CHECK(stays_stored(off_by(1.1F, 1.08F, 3)));
  CHECK(stays_stored(off_by(1.1F, 1.2F, 3)));
  // Above 50 dB nobody sees the difference.
  CHECK(stays_stored(off_by(1.001F, 1.00001F, 3)));
  CHECK(stays_stored(off_by(1.1F, 1.01F, 0)));
}

}  // namespace
}  // namespace ortool
