// Rewriter: guarantees that hold whatever a rule does, and termination.
#include "libcore/optimize/rewrite/rewriter.hpp"

#include <string>

#include <algorithm>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> model_of(const std::string& graph) {
  return inferred_model("<ir_version: 8, opset_import: [\"\" : 20]>\n" + graph);
}

std::string operators_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes())
    text += (text.empty() ? "" : " ") + std::string(node.op_type());
  return text;
}

RewriteReport apply(Model& model, const Rule& rule) {
  RewriteReport report;
  rewrite(*model.graph, std::span(&rule, 1), {.has_own_operators = true, .keeps_events = true},
          report);
  verify(*model.graph);
  return report;
}

/// Neg(Neg(x)) -> x
Rule remove_double_negation() {
  return {.name = "remove-double-negation",
          .summary = "",
          .level = OptimizeLevel::basic,
          .pattern = op("Neg", {op("Neg", {any("x")})}),
          .replace = [](Replacement& replacement) -> Value& { return replacement["x"]; }};
}

TEST_CASE("a rewritten node carries the name of its end and the names of all it stands for") {
  const auto model = model_of(
      "g (float[7] x) => (float[7] y) <float r = {1.41421354}, float o = {1}, float h = {0.5}>"
      "{ [a] p = Div (x, r) [b] q = Erf (p) [c] s = Add (q, o) [d] t = Mul (x, s)"
      "  [e] y = Mul (t, h) }");
  CHECK(apply(*model, fuse_gelu()).rewrites == 1);
  const Node& node = *model->graph->first_node();
  CHECK(node.op_type() == "Gelu");
  CHECK(node.name() == "e");
  CHECK(origins_of(node) == std::vector<std::string>{"a", "b", "c", "d", "e"});
  CHECK(node.output(0)->name() == "y");
}

TEST_CASE("a rewritten node does not take the name of a node that stays") {
  const std::string rest =
      "<int64[2] s = {3, 2}, int64[1] t = {0}> { [a] r = Reshape (x, s) [b] y = Unsqueeze (r, t) ";
  const auto alone = model_of("g (float[6] x) => (float[1, 3, 2] y)" + rest + "}");
  CHECK(apply(*alone, merge_reshapes()).rewrites == 1);
  CHECK(alone->graph->first_node()->name() == "a");
  const auto shared =
      model_of("g (float[6] x) => (float[1, 3, 2] y, float[3, 2] z)" + rest + "[c] z = Neg (r) }");
  CHECK(apply(*shared, merge_reshapes()).rewrites == 1);
  std::vector<std::string> names;
  for (const Node& node : shared->graph->nodes()) names.emplace_back(node.name());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("of several nodes that a rule makes only the last has the name of the end") {
  const auto model = model_of("g (float[2] x) => (float[2] y) { [a] n = Neg (x) [b] y = Neg (n) }");
  const Rule rule = {.name = "two-abs",
                     .summary = "",
                     .level = OptimizeLevel::basic,
                     .pattern = op("Neg", {op("Neg", {any("x")})}),
                     .makes = {"Abs"},
                     .replace = [](Replacement& replacement) -> Value& {
                       return replacement.add("Abs",
                                              {&replacement.add("Abs", {&replacement["x"]})});
                     }};
  CHECK(apply(*model, rule).rewrites == 1);
  const Node& first = *model->graph->first_node();
  CHECK(first.name() == "b/" + std::string(first.output(0)->name()));
  CHECK(first.next()->name() == "b");
}

TEST_CASE("what is rewritten twice keeps its first ancestors") {
  const auto model = model_of(
      "g (float[2, 3] x) => (float[2, 3] y)"
      "<float e = {0.00001}, float[3] w = {1, 2, 3}, int64[1] i = {1}>"
      "{ [m] m = ReduceMean (x, i) [d] d = Sub (x, m) [p] p = Mul (d, d)"
      "  [v] v = ReduceMean (p, i) [a] a = Add (v, e) [s] s = Sqrt (a) [n] n = Div (d, s)"
      "  [y] y = Mul (n, w) }");
  optimize(*model, OptimizeLevel::extended, {});
  REQUIRE(operators_of(*model->graph) == "LayerNormalization");
  CHECK(origins_of(*model->graph->first_node()) ==
        std::vector<std::string>{"m", "d", "p", "v", "a", "s", "n", "y"});
}

TEST_CASE("operators that the opset lacks stay out of files, with the opset as the reason") {
  const auto model = model_of("g (float[7] x) => (float[7] y) { s = Sigmoid (x) y = Mul (x, s) }");
  RewriteReport report;
  const Rule rule = fuse_swish();
  rewrite(*model->graph, std::span(&rule, 1), {.keeps_events = true}, report);
  CHECK(report.rewrites == 0);
  REQUIRE(report.events.size() == 1);
  CHECK(report.events[0].reason == "Swish was introduced in opset 24 (the model has 20)");
}

TEST_CASE("a value that a body reads is not lost") {
  const auto model = model_of(
      "g (float[3] x, bool c) => (float[3] y, float[3] z)"
      "{ a = Neg (x) y = Neg (a)"
      "  z = If (c) <then_branch = t () => (float[3] u) { u = Abs (a) },"
      "              else_branch = e () => (float[3] v) { v = Abs (x) }> }");
  const RewriteReport report = apply(*model, remove_double_negation());
  CHECK(report.rewrites == 0);
  REQUIRE(!report.events.empty());
  CHECK(report.events[0].reason.find("'a' inside it is also read by") != std::string::npos);
}

TEST_CASE("what a body reads from around it stays when the only reader goes") {
  const auto model = model_of(
      "g (float[3] x, bool c) => (float[3] z)"
      "{ z = If (c) <then_branch = t () => (float[3] u) { i = Identity (x) u = Abs (i) },"
      "              else_branch = e () => (float[3] v) { v = Abs (x) }> }");
  Graph& body = *model->graph->first_node()->subgraphs()[0];
  RewriteReport report;
  const Rule rule = remove_identity();
  rewrite(body, std::span(&rule, 1), {}, report);
  verify(*model->graph);
  CHECK(report.rewrites == 1);
  CHECK(operators_of(body) == "Abs");
}

TEST_CASE("a rule that makes nothing new and one that always fits both come to an end") {
  const auto model = model_of(
      "g (float[3] x) => (float[3] y) { a = Neg (x) b = Neg (a) c = Neg (b) y = Neg (c) }");
  CHECK(apply(*model, remove_double_negation()).rewrites == 1);
  const auto endless = model_of("g (float[3] x) => (float[3] y) { y = Neg (x) }");
  const Rule turn = {.name = "turn",
                     .summary = "",
                     .pattern = op("Neg", {any("x")}),
                     .replace = [](Replacement& replacement) -> Value& {
                       return replacement.add("Neg", {&replacement["x"]});
                     }};
  CHECK(apply(*endless, turn).rewrites > 1);
  CHECK(operators_of(*endless->graph) == "Neg");
}

TEST_CASE("a replacement of another shape leaves the graph as it was") {
  const auto model = model_of("g (float[2, 3] x) => (float[3, 2] y) { y = Transpose (x) }");
  const Rule wrong = {.name = "wrong",
                      .summary = "",
                      .pattern = op("Transpose", {any("x")}),
                      .replace = [](Replacement& replacement) -> Value& {
                        return replacement.add("Neg", {&replacement["x"]});
                      }};
  const RewriteReport report = apply(*model, wrong);
  CHECK(report.rewrites == 0);
  CHECK(operators_of(*model->graph) == "Transpose");
  REQUIRE(!report.events.empty());
  CHECK(report.events[0].reason == "'y' would be float32[2 x 3] instead of float32[3 x 2]");
}

TEST_CASE("a chain of 20000 nodes collapses in one go") {
  auto graph = std::make_unique<Graph>("g");
  graph->set_opsets({{"", 20}});
  Value* value = &graph->add_input("x", ValueType::tensor(DataType::float32, Dimensions{3}));
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    Value& next = graph->add_value("");
    Value* const inputs[] = {value};
    Value* const outputs[] = {&next};
    graph->add_node(i % 2 == 0 ? "Identity" : "Abs", "", inputs, outputs);
    value = &next;
  }
  graph->add_output(*value);
  Model model;
  model.graph = std::move(graph);
  infer_shapes(model);
  CHECK(apply(model, remove_identity()).rewrites == count / 2);
  CHECK(model.graph->node_count() == count / 2);
}

}  // namespace
}  // namespace ortool
