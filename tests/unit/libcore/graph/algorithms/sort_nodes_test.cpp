// Sorting nodes: those in order stay, others move, and cycles are named.
#include "libcore/graph/algorithms/sort_nodes.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"

using ortool::Error;
using ortool::Graph;
using ortool::Node;
using ortool::sort_nodes;
using ortool::Value;

namespace {

Node& add_named(Graph& graph, const char* name, std::vector<Value*> inputs,
                std::vector<Value*> outputs) {
  return graph.add_node("Op", "", inputs, outputs, name);
}

std::vector<std::string> sorted_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.emplace_back(node.name());
  return names;
}

Error cycle_of(Graph& graph) {
  try {
    sort_nodes(graph);
  } catch (const Error& error) {
    CHECK(error.id() == "graph.cycle");
    CHECK(error.code() == ortool::ErrorCode::invalid);
    return error;
  }
  FAIL("no circle was found");
  throw;
}

}  // namespace

TEST_CASE("A graph in order stays as it is") {
  Graph graph;
  CHECK_FALSE(sort_nodes(graph));
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  add_named(graph, "first", {&x, nullptr}, {&y});
  add_named(graph, "second", {}, {});
  add_named(graph, "third", {&y}, {nullptr, &graph.add_value("z")});
  CHECK_FALSE(sort_nodes(graph));
  CHECK(sorted_names(graph) == std::vector<std::string>{"first", "second", "third"});
}

TEST_CASE("Nodes that wait move behind what they wait for, the others keep their order") {
  Graph graph;
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  add_named(graph, "reader", {&y, &y}, {&graph.add_value("a")});
  add_named(graph, "free", {&x}, {&graph.add_value("b")});
  add_named(graph, "maker", {&x}, {&y});
  add_named(graph, "last", {&x}, {&graph.add_value("c")});
  CHECK(sort_nodes(graph));
  CHECK(sorted_names(graph) == std::vector<std::string>{"free", "maker", "reader", "last"});
  CHECK_NOTHROW(verify(graph));
  CHECK_FALSE(sort_nodes(graph));
}

TEST_CASE("A value that only a subgraph reads counts as an edge") {
  Graph graph;
  Value& x = graph.add_input("x");
  Value& y = graph.add_value("y");
  Node& branch_node = add_named(graph, "branch", {&x}, {});
  Graph& branch = branch_node.make_subgraph("then_branch");
  add_named(branch, "inside", {&branch.capture(y)}, {&branch.add_value("made")});
  add_named(graph, "maker", {&x}, {&y});
  CHECK(sort_nodes(graph));
  CHECK(sorted_names(graph) == std::vector<std::string>{"maker", "branch"});
  CHECK_NOTHROW(verify(graph));
}

TEST_CASE("Nodes in a circle are named, those that only wait for it are not") {
  Graph graph;
  Value& a = graph.add_value("a");
  Value& b = graph.add_value("b");
  Value& c = graph.add_value("c");
  add_named(graph, "waiting", {&a}, {&graph.add_value("d")});
  add_named(graph, "one", {&c}, {&a});
  add_named(graph, "two", {&a}, {&b});
  add_named(graph, "three", {&b}, {&c});
  const Error error = cycle_of(graph);
  for (const char* name : {"one", "two", "three"}) {
    CHECK_THAT(error.message(), Catch::Contains(name));
  }
  CHECK_THAT(error.message(), !Catch::Contains("waiting"));
  CHECK_FALSE(error.node().empty());
}

TEST_CASE("A node that reads its own output waits for itself") {
  Graph graph;
  Value& a = graph.add_value("a");
  add_named(graph, "alone", {&a}, {&a});
  CHECK_THAT(cycle_of(graph).message(), Catch::Contains("depends on itself"));
}

TEST_CASE("Shuffled chains and trees come out in an order that runs") {
  const unsigned seed = Catch::rngSeed();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  constexpr std::size_t count = 20000;
  Graph graph;
  std::vector<Value*> values = {&graph.add_input("x")};
  for (std::size_t i = 0; i < count; ++i) values.push_back(&graph.add_value(""));
  std::vector<std::size_t> sequence(count);
  for (std::size_t i = 0; i < count; ++i) sequence[i] = i;
  std::shuffle(sequence.begin(), sequence.end(), random);
  for (const std::size_t i : sequence) {
    add_named(graph, "", {values[i], values[random() % (i + 1)]}, {values[i + 1]});
  }
  CHECK(sort_nodes(graph));
  CHECK_NOTHROW(verify(graph));
  std::size_t made = 0;
  bool is_chain = true;
  for (const Node& node : graph.nodes()) is_chain &= node.output(0) == values[++made];
  CHECK(made == count);
  CHECK(is_chain);
}
