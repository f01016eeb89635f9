// Constant folding: what it adds to a file is bounded equally in every round and run.
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

/// Rewrites the model as for a file.
std::int64_t rewrite_file(Model& model) {
  const auto provider = make_cpu_provider(cpu::best_isa());
  Workers workers;
  const CompileContext context{.workers = workers};
  ConstantEvaluator evaluator(*provider, context);
  RewriteOptions options;
  options.evaluator = &evaluator;
  options.fold_limits.is_all_or_none = true;
  options.fold_limits.keeps_outputs = true;
  return optimize(model, OptimizeLevel::all, options).rewrites;
}

std::int64_t constant_bytes(const Model& model) {
  std::int64_t bytes = 0;
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : graph->values()) bytes += value->constant().size_bytes();
  }
  return bytes;
}

std::int64_t count(const Model& model, std::string_view op_type) {
  std::int64_t nodes = 0;
  for (const Node& node : model.graph->nodes()) nodes += node.op_type() == op_type ? 1 : 0;
  return nodes;
}

/// A chain of products with 256 KiB matrices that nodes fill, and a removable Neg(Neg(x)).
std::unique_ptr<Model> filled_weights(int layers, const std::string& last_nodes = "") {
  std::string nodes = "[n] n = Neg (x) [m] x0 = Neg (n)";
  for (int i = 0; i < layers; ++i) {
    const std::string at = std::to_string(i);
    // Each has another fill value, so that they are not shared.
    nodes += "[fill" + at + "] w" + at + " = ConstantOfShape <value = float[1] {" + at +
             ".5}> (sizes) [product" + at + "] x" + std::to_string(i + 1) + " = MatMul (x" + at +
             ", w" + at + ")";
  }
  return inferred_model(
      "<ir_version: 10, opset_import: [\"\" : 20]>\n"
      "g (float[n, 256] x) => (float[n, 256] y)"
      "<int64[2] sizes = {256, 256}, int64[2] one_row = {1, 256}> {" +
      nodes + last_nodes + "[end] y = Relu (x" + std::to_string(layers) + ") }");
}

TEST_CASE("nodes that fill weights beyond the bound all stay, in every round and run") {
  const std::unique_ptr<Model> model = filled_weights(40);
  REQUIRE(rewrite_file(*model) > 0);
  CHECK(count(*model, "ConstantOfShape") == 40);
  CHECK(constant_bytes(*model) < 1024);
  CHECK(rewrite_file(*model) == 0);
}

TEST_CASE("nodes that fill weights within the bound all become constants") {
  const std::unique_ptr<Model> model = filled_weights(16);
  REQUIRE(rewrite_file(*model) > 0);
  CHECK(count(*model, "ConstantOfShape") == 0);
  CHECK(constant_bytes(*model) <= std::int64_t{4} << 20);
  CHECK(rewrite_file(*model) == 0);
}

TEST_CASE("small results are folded where larger ones stay") {
  const std::unique_ptr<Model> model =
      filled_weights(40,
                     "[row] r = ConstantOfShape <value = float[1] {7.5}> (one_row)"
                     "[scaled] unread = Mul (x40, r) [read] z = Relu (unread)");
  model->graph->add_output(*model->graph->find_value("z"));
  REQUIRE(rewrite_file(*model) > 0);
  CHECK(count(*model, "ConstantOfShape") == 40);
  CHECK(rewrite_file(*model) == 0);
}

TEST_CASE("what is large on the way counts by what is left of it") {
  const std::unique_ptr<Model> model = inferred_model(
      "<ir_version: 10, opset_import: [\"\" : 20]>\n"
      "g (float[n, 1024] x) => (float[n, 1024] y)"
      "<int64[2] sizes = {1024, 768}, int64[1] axes = {1}> {"
      "[a] a = ConstantOfShape <value = float[1] {0.5}> (sizes)"
      "[b] b = ReduceSum <keepdims = 0> (a, axes)"
      "[c] c = ConstantOfShape <value = float[1] {0.25}> (sizes)"
      "[d] d = ReduceSum <keepdims = 0> (c, axes)"
      "[e] e = Mul (x, b) [f] y = Max (e, d) }");
  REQUIRE(rewrite_file(*model) > 0);
  CHECK(model->graph->node_count() == 2);
  CHECK(rewrite_file(*model) == 0);
}

}  // namespace
}  // namespace ortool
