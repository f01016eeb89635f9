// Partial matches of patterns, and their reasons.
#include "libcore/optimize/rewrite/closest_matches.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/mismatch.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> opset23_model(const std::string& graph) {
  return inferred_model("<ir_version: 10, opset_import: [\"\" : 23]>\n" + graph);
}

std::vector<ClosestMatch> closest_in(const std::string& graph, std::size_t most = 10) {
  static const std::vector<RuleGroup> groups = pipeline();
  return closest_matches(*opset23_model(graph), groups, {}, most);
}

const ClosestMatch* find(const std::vector<ClosestMatch>& matches, std::string_view rule) {
  const auto found = std::find_if(matches.begin(), matches.end(),
                                  [&](const ClosestMatch& match) { return match.rule == rule; });
  return found != matches.end() ? &*found : nullptr;
}

const char* const attention_with_relu =
    "g (float[1, 2, 4, 8] q, float[1, 2, 4, 8] k, float[1, 2, 4, 8] v) => (float[1, 2, 4, 8] y)"
    "<float c = {2}> { [turn] t = Transpose <perm = [0, 1, 3, 2]> (k) [relu] r = Relu (t)"
    "[scores] s = MatMul (q, r) [scale] d = Div (s, c) [weights] p = Softmax (d)"
    "[end] y = MatMul (p, v) }";

TEST_CASE("a pattern found in part tells its nodes and what stands in the way") {
  const std::vector<ClosestMatch> matches = closest_in(attention_with_relu);
  const ClosestMatch* attention = find(matches, "fuse-attention");
  REQUIRE(attention != nullptr);
  CHECK(attention->node == "end");
  CHECK(attention->nodes == std::vector<std::string>{"end", "weights", "scale", "scores"});
  CHECK(attention->expected == 5);
  CHECK(attention->reason == "found 'relu' (Relu) where Transpose is expected");
}

TEST_CASE("no more places are told than asked for, those with most of the pattern first") {
  const std::vector<ClosestMatch> all = closest_in(attention_with_relu);
  const std::vector<ClosestMatch> one = closest_in(attention_with_relu, 1);
  REQUIRE(one.size() == 1);
  CHECK(one.front().rule == all.front().rule);
  const auto share = [](const ClosestMatch& match) {
    return static_cast<double>(match.nodes.size()) / static_cast<double>(match.expected);
  };
  CHECK(std::is_sorted(all.begin(), all.end(),
                       [&](const auto& a, const auto& b) { return share(a) > share(b); }));
}

TEST_CASE("a pattern of which nothing or all is found is not told") {
  CHECK(closest_in("g (float[4] x) => (float[4] y) { y = Relu (x) }").empty());
  const std::vector<ClosestMatch> matches = closest_in(
      "g (float[4] x) => (float[4] y) <float c = {3}, float z = {0}, float s = {6}>"
      "{ a = Add (x, c) b = Clip (a, z, s) d = Div (b, s) y = Mul (x, d) }");
  CHECK(find(matches, "fuse-hard-swish") == nullptr);
}

/// The reason of find_match for a pattern at the node that produces `y`.
std::string reason_of(const Pattern& pattern, const std::string& graph) {
  const std::unique_ptr<Model> model = opset23_model(graph);
  Match match;
  PartialMatch partial;
  if (find_match(pattern, *model->graph->outputs()[0]->producer(), match, partial)) return "fits";
  return partial.reason;
}

TEST_CASE("each way not to fit has its words") {
  const Pattern x = any("x");
  const std::string inner = "[a] s = Sub (x, c) [b] y = Mul (s, x)";
  const auto graph = [](const std::string& type, const std::string& nodes) {
    return "g (float[4] x, float[4] z) => (float[4] y) <" + type + "> { " + nodes + " }";
  };
  CHECK(reason_of(op("Mul", {op("Sub", {x, number(2)}), x}), graph("float c = {3}", inner)) ==
        "found the constant 'c' (3) where the number 2 is expected");
  CHECK(reason_of(op("Mul", {op("Sub", {x, constant()}), x}),
                  graph("float c = {3}", "[a] s = Sub (x, z) [b] y = Mul (s, x)")) ==
        "found 'z' where a constant is expected");
  CHECK(reason_of(op("Mul", {any_of({op("Add", {x, any()}), op("Div", {x, any()})}), x}),
                  graph("float c = {3}", inner)) == "found 'a' (Sub) where Add or Div is expected");
  CHECK(reason_of(op("Mul", {op("Sub", {x, any()}), x}),
                  graph("float c = {3}", "[a] s = Sub (z, c) [b] y = Mul (s, x)")) ==
        "'x' is not the value that the pattern reads elsewhere");
  CHECK(
      reason_of(op("Mul", {op("Sub", {x, any()}).where_node([](const Node&) { return false; }), x}),
                graph("float c = {3}", inner)) == "'a' (Sub) has other attributes than expected");
  CHECK(reason_of(
            op("Mul", {op("Sub", {x, any().where_value([](const Value&) { return false; })}), x}),
            graph("float c = {3}", inner)) ==
        "the constant 'c' (3) is float32[scalar], which is not expected there");
  CHECK(reason_of(op("Mul", {op("Sub", {x}), x}), graph("float c = {3}", inner)) ==
        "'a' (Sub) has more or fewer inputs than expected");
}

}  // namespace
}  // namespace ortool
