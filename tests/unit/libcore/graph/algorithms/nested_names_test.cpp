// Names of values across nested graphs.
#include "libcore/graph/algorithms/nested_names.hpp"

#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

/// Both branches have a value t; the inner branches capture values of the main graph.
constexpr const char* text_of_a_model = R"(
  <ir_version: 10, opset_import: ["" : 18]>
  g (bool c, float[2] x) => (float[2] y) {
    a = Abs (x)
    y = If (c) <then_branch = yes () => (float[2] t) {
                  t = If (c) <then_branch = inner_yes () => (float[2] u) { u = Neg (a) },
                              else_branch = inner_no () => (float[2] v) { v = Neg (x) }>
                },
                else_branch = no () => (float[2] t) { t = Exp (x) }>
  })";

Graph& branch(Graph& graph, std::size_t node, std::size_t index) {
  Node* at = graph.first_node();
  for (; node > 0; --node) at = at->next();
  return *at->subgraphs()[index];
}

TEST_CASE("a value of a nested graph gives up a name that a graph around it has") {
  const auto model = parse_model(text_of_a_model);
  Graph& main = *model->graph;
  verify_names(main);
  Graph& outer = branch(main, 1, 0);
  Graph& inner = branch(outer, 0, 0);
  Value& u = *inner.find_value("u");
  inner.rename_value(u, "x");
  CHECK_THROWS_WITH(verify_names(main), Catch::Contains("'x'"));
  make_names_unique(main);
  verify_names(main);
  verify(main);
  CHECK(u.name() == "x_1");
  CHECK(inner.outputs()[0] == &u);
  CHECK(main.inputs()[1]->name() == "x");
}

TEST_CASE("a body of another domain keeps the names of its inputs and outputs") {
  const auto model = parse_model(R"(
    <ir_version: 10, opset_import: ["" : 18, "com.microsoft" : 1]>
    g (float[2] input_ids, float[2] t) => (float[2] y) {
      logits = Abs (input_ids)
      y = com.microsoft.BeamSearch <decoder = d (float[2] input_ids) => (float[2] logits) {
            t = Neg (input_ids) logits = Exp (t) }> (logits)
    })");
  make_names_unique(*model->graph);
  verify_names(*model->graph);
  const Graph& body = branch(*model->graph, 1, 0);
  CHECK(body.inputs()[0]->name() == "input_ids");
  CHECK(body.outputs()[0]->name() == "logits");
  CHECK(body.find_value("t") == nullptr);
}

TEST_CASE("graphs beside each other may share names, and captured values have those of others") {
  const auto model = parse_model(text_of_a_model);
  make_names_unique(*model->graph);
  CHECK(branch(*model->graph, 1, 0).outputs()[0]->name() == "t");
  CHECK(branch(*model->graph, 1, 1).outputs()[0]->name() == "t");
}

TEST_CASE("a name that was given anew counts for the graphs inside") {
  const auto model = parse_model(text_of_a_model);
  Graph& main = *model->graph;
  Graph& outer = branch(main, 1, 0);
  Graph& inner = branch(outer, 0, 0);
  outer.rename_value(*outer.find_value("t"), "a_1");
  inner.rename_value(*inner.find_value("u"), "a_1");
  make_names_unique(main);
  verify_names(main);
  CHECK(outer.outputs()[0]->name() == "a_1");
  CHECK(inner.outputs()[0]->name() != "a_1");
}

TEST_CASE("what a graph says of a value by its name follows when the value is renamed") {
  Graph graph;
  Value& value = graph.add_value("x");
  graph.quantization_annotations.push_back({"x", {{"SCALE_TENSOR", "s"}}, {}, {}});
  graph.quantization_annotations.push_back({"z", {{"SCALE_TENSOR", "x"}}, {}, {}});
  graph.rename_value(value, "y");
  CHECK(graph.find_value("y") == &value);
  CHECK(graph.find_value("x") == nullptr);
  CHECK(graph.quantization_annotations[0].value == "y");
  CHECK(graph.quantization_annotations[1].parameters[0].second == "y");
  CHECK(graph.unused_name("y") == "y_1");
  CHECK(graph.unused_name("free") == "free");
}

}  // namespace
}  // namespace ortool
