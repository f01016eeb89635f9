// Weight-only quantization of weights that the bodies of If read.
#include "libcore/quantize/scheme/subgraph_weights.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/scheme/weight_only.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/weight_model.hpp"

namespace ortool {

using namespace test;

namespace {

/// Two branches that both read w; one of them reads v too.
constexpr const char* branches =
    "g (float[4, 32] x, float[32, 32] w, float[32, 32] v) => (float[4, 32] y) {"
    "  s = ReduceSum <keepdims = 0> (x) zero = Sub (s, s) c = Less (zero, s)"
    "  y = If (c) <then_branch = t () => (float[4, 32] a) { a = MatMul (x, w) },"
    "              else_branch = e () => (float[4, 32] d) { b = MatMul (x, w) d = MatMul (b, v) }>"
    "}";

/// For each MatMul of all graphs, whether its codes are constants of its own graph.
std::vector<bool> local_codes(const Model& model) {
  std::vector<bool> found;
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) {
      if (node.op_type() != "MatMul") continue;
      const Node* floats = node.input(1)->producer();
      found.push_back(floats != nullptr && floats->op_type() == "DequantizeLinear" &&
                      floats->input(0)->is_constant() && floats->input(1)->is_constant());
    }
  }
  return found;
}

TEST_CASE("weights that bodies read have their levels in each of them") {
  const auto model = model_of(branches);
  for (const float sign : {1.0F, -1.0F}) {
    Tensor x(DataType::float32, Shape({4, 32}));
    const Tensor random = random_tensor({4, 32}, 5);
    for (std::int64_t i = 0; i < x.element_count(); ++i)
      set_element(x, i, sign * (1 + std::abs(element_as_double(random, i))));
    const auto changed = copy_model(*model);
    infer_shapes(*changed);
    const std::vector<float> expected = run(*changed, x);
    quantize_stored(*changed, {});
    CHECK(local_codes(*changed) == std::vector<bool>{true, true, true});
    CHECK(signal_to_noise(run(*changed, x), expected) > 35);
  }
}

TEST_CASE("weights that many bodies read become floats once, where they lie") {
  std::string nodes;
  std::string sum = "x";
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    nodes += " r" + n + " = If (c) <then_branch = t" + n + " () => (float[4, 32] a" + n + ") { a" +
             n + " = MatMul (" + sum + ", w) }, else_branch = e" + n + " () => (float[4, 32] d" +
             n + ") { d" + n + " = Neg (" + sum + ") }>";
    sum = "r" + n;
  }
  const auto model = model_of(
      "g (float[4, 32] x, float[32, 32] w) => (float[4, 32] y) {"
      "  s = ReduceSum <keepdims = 0> (x) c = Less (s, s)" +
      nodes + " y = Relu (r3) }");
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  quantize_stored(*model, {});
  CHECK(count(*model, "DequantizeLinear") == 1);
  CHECK(local_codes(*model) == std::vector<bool>(4, false));
  CHECK(signal_to_noise(run(*model, x), expected) > 30);
}

}  // namespace
}  // namespace ortool
