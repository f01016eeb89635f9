// Graph invariants: valid graphs pass; each violation is reported with its node or value.
#include "libcore/graph/algorithms/verify.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"

using ortool::Error;
using ortool::Graph;
using ortool::Node;
using ortool::Tensor;
using ortool::Value;
using ortool::verify;

namespace {

Node& add_checked(Graph& graph, const char* op_type, std::vector<Value*> inputs,
                  std::vector<Value*> outputs, Node* before = nullptr) {
  return graph.add_node(op_type, "", inputs, outputs, "", before);
}

/// What `verify` reports; empty if nothing.
std::string complaint(const Graph& graph) {
  try {
    verify(graph);
  } catch (const Error& error) {
    CHECK(error.id() == "graph.verify");
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A graph with constants, captures and inputs left out is accepted") {
  Graph graph("main");
  Value& x = graph.add_input("x");
  Value& bound = graph.add_constant("bound", Tensor::scalar(1.0F));
  Value& clipped = graph.add_value("clipped");
  Value& result = graph.add_value("result");
  add_checked(graph, "Clip", {&x, nullptr, &bound}, {&clipped});
  Node& branch_node = add_checked(graph, "If", {&x}, {&result, nullptr});
  for (const char* name : {"then_branch", "else_branch"}) {
    Graph& branch = branch_node.make_subgraph(name);
    Value& inside = branch.capture(clipped);
    Value& made = branch.add_value("made");
    add_checked(branch, "Add", {&inside, &inside}, {&made});
    branch.add_output(made);
  }
  graph.add_output(result);
  graph.add_output(result);
  CHECK(complaint(graph).empty());
  CHECK(complaint(Graph()).empty());
}

TEST_CASE("Editing keeps the invariants") {
  Graph graph;
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  Value& z = graph.add_value("z");
  Node& first = add_checked(graph, "Identity", {&x}, {&y});
  Node& second = add_checked(graph, "Add", {&y, &y}, {&z});
  graph.add_output(z);
  graph.replace_uses(y, x);
  CHECK(complaint(graph).empty());
  graph.move_node(first, nullptr);
  graph.set_input(second, 1, nullptr);
  CHECK(complaint(graph).empty());
  graph.remove_node(first);
  graph.remove_value(y);
  CHECK(complaint(graph).empty());
}

TEST_CASE("A value read before it is made is found") {
  Graph graph("main");
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  Node& producer = add_checked(graph, "Relu", {&x}, {&y});
  add_checked(graph, "Abs", {&y}, {&graph.add_value("z")}, &producer);
  CHECK_THAT(complaint(graph), Catch::Contains("'main'") && Catch::Contains("'Abs_1'") &&
                                   Catch::Contains("'y' before it is produced"));
}

TEST_CASE("A node that reads its own output is found") {
  Graph graph;
  Value& y = graph.add_value("y");
  add_checked(graph, "Relu", {&y}, {&y});
  CHECK_THAT(complaint(graph), Catch::Contains("'Relu_0'") && Catch::Contains("own output"));
}

TEST_CASE("A value that nothing makes is found when it is read") {
  Graph graph;
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  Node& node = add_checked(graph, "Relu", {&x}, {&y});
  graph.add_output(y);
  graph.remove_node(node);
  CHECK_THAT(complaint(graph), Catch::Contains("'y'") && Catch::Contains("nothing produces it"));
}

TEST_CASE("A broken graph inside another is found and named") {
  Graph graph("main");
  Value& x = graph.add_input("x");
  Node& loop = add_checked(graph, "Loop", {&x}, {});
  Graph& body = loop.make_subgraph("body");
  body.set_name("inner");
  Node& branch_node = add_checked(body, "If", {&body.capture(x)}, {});
  Graph& branch = branch_node.make_subgraph("then_branch");
  branch.set_name("innermost");
  branch.add_output(branch.add_value("lost"));
  CHECK_THAT(complaint(graph), Catch::Contains("'innermost'") && Catch::Contains("'lost'"));
}

TEST_CASE("A captured value that is made after the node around the capture is found") {
  Graph graph;
  Value& x = graph.add_input("x");
  Value& late = graph.add_value("late");
  Node& branch_node = add_checked(graph, "If", {&x}, {});
  Graph& branch = branch_node.make_subgraph("then_branch");
  add_checked(branch, "Relu", {&branch.capture(late)}, {&branch.add_value("made")});
  add_checked(graph, "Relu", {&x}, {&late});
  CHECK_THAT(complaint(graph), Catch::Contains("'If_0'") && Catch::Contains("'late'"));
}
