// Graph editing keeps use lists, order and captures consistent.
#include "libcore/graph/graph.hpp"

#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"

using ortool::Graph;
using ortool::Node;
using ortool::Tensor;
using ortool::Use;
using ortool::Value;
using ortool::verify;

namespace {

Node& add(Graph& graph, const char* op_type, std::vector<Value*> inputs,
          std::vector<Value*> outputs, Node* before = nullptr) {
  return graph.add_node(op_type, "", inputs, outputs, "", before);
}

std::vector<std::string> order(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.emplace_back(node.name());
  return names;
}

}  // namespace

TEST_CASE("A value knows its producer and each of its readers") {
  Graph graph;
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  Node& node = add(graph, "Add", {&x, &x}, {&y});
  graph.add_output(y);
  CHECK(y.producer() == &node);
  CHECK(x.uses().size() == 2);
  CHECK(y.is_graph_output());
  CHECK(node.name() == "Add_0");
  CHECK_FALSE(node.has_name_of_its_own());
}

TEST_CASE("Replacing a value moves every use, graph outputs too") {
  Graph graph;
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  Value& z = graph.add_value("z");
  Node& identity = add(graph, "Identity", {&x}, {&y});
  Node& add_node = add(graph, "Add", {&y, &y}, {&z});
  graph.add_output(y);
  graph.replace_uses(y, x);
  CHECK(y.uses().empty());
  CHECK(add_node.input(0) == &x);
  CHECK(add_node.input(1) == &x);
  CHECK(graph.outputs()[0] == &x);
  graph.remove_node(identity);
  graph.remove_value(y);
  CHECK(graph.find_value("y") == nullptr);
  CHECK(x.uses().size() == 3);
}

TEST_CASE("Dropping uses in any order leaves the others true") {
  Graph graph;
  Value& x = graph.add_input("x");
  std::vector<Node*> nodes;
  for (int i = 0; i < 5; ++i) nodes.push_back(&add(graph, "Relu", {&x}, {&graph.add_value("")}));
  for (const int index : {1, 4, 0}) graph.remove_node(*nodes[static_cast<std::size_t>(index)]);
  REQUIRE(x.uses().size() == 2);
  for (const Use& use : x.uses()) CHECK(use.node->input(use.index) == &x);
  CHECK(order(graph) == std::vector<std::string>{"Relu_2", "Relu_3"});
}

TEST_CASE("Nodes can be added in the middle and moved") {
  Graph graph;
  Value& x = graph.add_input("x");
  Node& first = add(graph, "A", {&x}, {&graph.add_value("a")});
  Node& last = add(graph, "B", {&x}, {&graph.add_value("b")});
  add(graph, "C", {&x}, {&graph.add_value("c")}, &last);
  CHECK(order(graph) == std::vector<std::string>{"A_0", "C_2", "B_1"});
  graph.move_node(first, nullptr);
  CHECK(order(graph) == std::vector<std::string>{"C_2", "B_1", "A_0"});
}

TEST_CASE("An outer value used inside becomes an implicit input of the node around it") {
  Graph graph;
  Value& condition = graph.add_input("condition");
  Value& outer = graph.add_input("outer");
  Node& node = add(graph, "If", {&condition}, {&graph.add_value("result")});
  Graph& branch = node.make_subgraph("then_branch");
  Value& inside = branch.capture(outer);
  CHECK(&branch.capture(outer) == &inside);
  Value& made = branch.add_value("made");
  Node& consumer = add(branch, "Relu", {&inside}, {&made});
  branch.add_output(made);
  REQUIRE(node.implicit_input_count() == 1);
  CHECK(node.implicit_input(0) == &outer);
  REQUIRE(outer.uses().size() == 1);
  CHECK(outer.uses()[0].kind == Use::Kind::implicit_input);

  SECTION("and stops being one with its last use") {
    branch.set_output(0, branch.add_value("other"));
    branch.remove_node(consumer);
    CHECK(node.implicit_input_count() == 0);
    CHECK(outer.uses().empty());
    CHECK(branch.captures().empty());
  }
  SECTION("and follows when the outer value is replaced") {
    Value& another = graph.add_input("another");
    graph.replace_uses(outer, another);
    CHECK(inside.captured() == &another);
    CHECK(node.implicit_input(0) == &another);
    CHECK(outer.uses().empty());
  }
  SECTION("and goes when the node around it is removed") {
    graph.remove_node(node);
    CHECK(outer.uses().empty());
  }
}

TEST_CASE("Captures of two branches keep their places when one goes") {
  Graph graph;
  Value& a = graph.add_input("a");
  Value& b = graph.add_input("b");
  Node& node = add(graph, "If", {&a}, {&graph.add_value("result")});
  Graph& then_branch = node.make_subgraph("then_branch");
  Graph& else_branch = node.make_subgraph("else_branch");
  Node& first = add(then_branch, "Relu", {&then_branch.capture(a)}, {&then_branch.add_value("t")});
  add(else_branch, "Relu", {&else_branch.capture(b)}, {&else_branch.add_value("e")});
  REQUIRE(node.implicit_input_count() == 2);
  then_branch.remove_node(first);
  REQUIRE(node.implicit_input_count() == 1);
  CHECK(node.implicit_input(0) == &b);
  Value& c = graph.add_input("c");
  graph.replace_uses(b, c);
  CHECK(else_branch.captures()[0]->captured() == &c);
}

TEST_CASE("Captures stand in the order of the branches when one is captured again") {
  Graph graph;
  Value& a = graph.add_input("a");
  Value& b = graph.add_input("b");
  Value& c = graph.add_input("c");
  Node& node = add(graph, "If", {&a}, {&graph.add_value("result")});
  Graph& then_branch = node.make_subgraph("then_branch");
  Graph& else_branch = node.make_subgraph("else_branch");
  Node& first = add(then_branch, "Relu", {&then_branch.capture(a)}, {&then_branch.add_value("t")});
  Node& other = add(else_branch, "Add", {&else_branch.capture(b), &else_branch.capture(c)},
                    {&else_branch.add_value("e")});

  SECTION("by the first branch") {
    then_branch.remove_node(first);
    add(then_branch, "Add", {&then_branch.capture(c), &then_branch.capture(a)},
        {&then_branch.add_value("again")});
    REQUIRE(node.implicit_input_count() == 4);
    CHECK(node.implicit_input(0) == &c);
    CHECK(node.implicit_input(1) == &a);
    CHECK(node.implicit_input(2) == &b);
    CHECK(node.implicit_input(3) == &c);
    CHECK_NOTHROW(verify(graph));
    // Each capture is still its own: one goes, the others stay.
    else_branch.set_input(other, 0, &else_branch.capture(a));
    REQUIRE(node.implicit_input_count() == 4);
    CHECK(node.implicit_input(2) == &c);
    CHECK(node.implicit_input(3) == &a);
    CHECK(else_branch.captures()[0]->captured() == &c);
    CHECK_NOTHROW(verify(graph));
  }
  SECTION("by the second branch") {
    else_branch.set_input(other, 0, &else_branch.capture(a));
    REQUIRE(node.implicit_input_count() == 3);
    CHECK(node.implicit_input(0) == &a);
    CHECK(node.implicit_input(1) == &c);
    CHECK(node.implicit_input(2) == &a);
    CHECK_NOTHROW(verify(graph));
  }
}

TEST_CASE("A graph input with a default is no constant until it is made one") {
  Graph graph;
  Value& weight = graph.add_input("weight");
  graph.set_constant(weight, Tensor::scalar(1.0F));
  CHECK(weight.has_default());
  CHECK_FALSE(weight.is_constant());
  graph.make_default_constant(weight);
  CHECK(weight.is_constant());
  CHECK(graph.inputs().empty());
}
