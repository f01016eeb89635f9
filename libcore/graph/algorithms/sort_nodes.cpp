// Topological sort (Kahn's algorithm), taking the earliest ready node first.
#include "libcore/graph/algorithms/sort_nodes.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

/// Calls `body` with the producer of each explicit and implicit input.
template <typename Body>
void each_producer(const Node& node, Body body) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (value != nullptr && value->producer() != nullptr) body(*value->producer());
  }
  for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
    const Value* value = node.implicit_input(i);
    if (value->producer() != nullptr) body(*value->producer());
  }
}

/// A graph's nodes by position, and positions by node id.
struct Positions {
  explicit Positions(const Graph& graph) {
    for (Node& node : graph.nodes()) {
      const auto id = static_cast<std::size_t>(node.id());
      if (id >= of_id.size()) of_id.resize(id + 1);
      of_id[id] = nodes.size();
      nodes.push_back(&node);
    }
  }
  std::size_t of(const Node& node) const { return of_id[static_cast<std::size_t>(node.id())]; }

  std::vector<Node*> nodes;
  std::vector<std::size_t> of_id;
};

bool is_sorted(const Positions& positions) {
  for (std::size_t i = 0; i < positions.nodes.size(); ++i) {
    bool is_late = false;
    each_producer(*positions.nodes[i],
                  [&](const Node& producer) { is_late |= positions.of(producer) >= i; });
    if (is_late) return false;
  }
  return true;
}

[[noreturn]] void fail_with_cycle(const Positions& positions,
                                  const std::vector<std::int64_t>& waits_for) {
  // Each node left has a producer that is also left, so following them leads to a cycle.
  std::size_t at = 0;
  while (waits_for[at] == 0) ++at;
  std::vector<std::size_t> path;
  std::vector<bool> is_on_path(positions.nodes.size());
  while (!is_on_path[at]) {
    is_on_path[at] = true;
    path.push_back(at);
    std::size_t next = at;
    each_producer(*positions.nodes[at], [&](const Node& producer) {
      if (waits_for[positions.of(producer)] > 0) next = positions.of(producer);
    });
    at = next;
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  std::vector<std::string_view> names;
  for (auto each = path.rbegin(); each != path.rend(); ++each) {
    names.push_back(positions.nodes[*each]->name());
  }
  const Node& node = *positions.nodes[at];
  throw Error(ErrorCode::invalid,
              format("{} in a cycle: {}",
                     names.size() == 1 ? "a node depends on itself" : "nodes depend on each other",
                     list_names(names)),
              "a graph must be acyclic; export the model again")
      .with_id("graph.cycle")
      .at_node(shorten(node.name()), shorten(node.op_type()));
}

}  // namespace

bool sort_nodes(Graph& graph) {
  const Positions positions(graph);
  if (is_sorted(positions)) return false;
  const std::size_t count = positions.nodes.size();
  std::vector<std::int64_t> waits_for(count);
  for (std::size_t i = 0; i < count; ++i) {
    each_producer(*positions.nodes[i], [&](const Node&) { ++waits_for[i]; });
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i) {
    if (waits_for[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::size_t at = ready.top();
    ready.pop();
    order.push_back(at);
    const Node& node = *positions.nodes[at];
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) == nullptr) continue;
      for (const Use& use : node.output(i)->uses()) {
        if (use.node == nullptr) continue;
        const std::size_t consumer = positions.of(*use.node);
        if (--waits_for[consumer] == 0) ready.push(consumer);
      }
    }
  }
  if (order.size() < count) fail_with_cycle(positions, waits_for);
  for (const std::size_t at : order) graph.move_node(*positions.nodes[at], nullptr);
  return true;
}

}  // namespace ortool
