// Quantized weights of recurrent layers become float constants once, whoever reads them.
#include "libcore/lower/dequantize_recurrent_weights.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::int64_t unpack(Graph& graph) {
  const auto provider = make_cpu_provider(cpu::best_isa());
  Workers workers;
  const CompileContext context{.workers = workers};
  ConstantEvaluator evaluator(*provider, context);
  return dequantize_recurrent_weights(graph, evaluator);
}

std::unique_ptr<Model> model_of(const std::string& nodes) {
  return inferred_model(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (float[2,1,1] x, int8[1,4,1] given) => (float[2,1,1,1] y)\n"
      "<int8[1,4,1] w = {1, -2, 3, -4}, int8[1,4,1] r = {5, 6, -7, 8},"
      " float scale = {0.5}>\n{ " +
      nodes + " }");
}

TEST_CASE("weights of recurrent layers behind DequantizeLinear become constants") {
  const auto model = model_of(
      "f = DequantizeLinear (w, scale) t = DequantizeLinear (r, scale)"
      " a = LSTM <hidden_size = 1> (x, f, t) b = LSTM <hidden_size = 1> (x, f, t)"
      " y = Add (a, b)");
  CHECK(unpack(*model->graph) == 2);
  std::int64_t layers = 0;
  for (const Node& node : model->graph->nodes()) {
    if (node.op_type() != "LSTM") continue;
    ++layers;
    REQUIRE(node.input(1)->is_constant());
    CHECK(floats(node.input(1)->constant()) == std::vector<float>{0.5F, -1.0F, 1.5F, -2.0F});
    CHECK(floats(node.input(2)->constant()) == std::vector<float>{2.5F, 3.0F, -3.5F, 4.0F});
  }
  CHECK(layers == 2);
}

TEST_CASE("levels that a run gives stay behind DequantizeLinear") {
  const auto model = model_of(
      "f = DequantizeLinear (given, scale) t = DequantizeLinear (r, scale)"
      " y = LSTM <hidden_size = 1> (x, f, t)");
  CHECK(unpack(*model->graph) == 1);
}

}  // namespace
}  // namespace ortool
