// Checks all nodes and values in one pass and compares their cross-references.
#include "libcore/graph/algorithms/verify.hpp"

#include <algorithm>
#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  void check() {
    used_slots_ = static_cast<std::int64_t>(graph_.outputs().size());
    check_order_and_slots();
    for (const Value* value : graph_.values()) check_value(*value);
    if (live_uses_ != used_slots_) {
      fail("the graph",
           format("has {} uses where {} inputs and outputs read values", live_uses_, used_slots_));
    }
    check_outputs();
    check_captures();
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& message) const {
    throw Error(ErrorCode::invalid, format("graph {}: {} {}", quote(graph_.name()), what, message))
        .with_id("graph.verify");
  }
  [[noreturn]] void fail(const Node& node, const std::string& message) const {
    fail("node " + quote(node.name()), message);
  }
  [[noreturn]] void fail(const Value& value, const std::string& message) const {
    fail("value " + quote(value.name()), message);
  }

  void check_order_and_slots() {
    const Node* previous = nullptr;
    std::int64_t count = 0;
    for (const Node& node : graph_.nodes()) {
      if (&node.graph() != &graph_) fail(node, "belongs to another graph");
      if (node.previous() != previous) fail(node, "is not linked to the node before it");
      if (node.op_type().empty()) fail(node, "has no type");
      if (++count > graph_.node_count()) fail(node, "comes after all nodes that were counted");
      position_.emplace(&node, count);
      first_slot_.emplace(&node, slots_seen_.size());
      slots_seen_.resize(slots_seen_.size() + static_cast<std::size_t>(node.input_count()) +
                         static_cast<std::size_t>(node.implicit_input_count()));
      check_inputs(node);
      check_node_outputs(node);
      for (const Graph* subgraph : node.subgraphs()) {
        if (subgraph->owner() != &node) fail(node, "holds a graph that has another owner");
      }
      previous = &node;
    }
    if (count != graph_.node_count()) {
      fail("the graph", format("has {} nodes where {} are counted", count, graph_.node_count()));
    }
  }

  void check_inputs(const Node& node) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i) != nullptr) check_is_ready(node, *node.input(i));
    }
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
      if (node.implicit_input(i) == nullptr) fail(node, "has an implicit input without value");
      check_is_ready(node, *node.implicit_input(i));
    }
  }

  void check_is_ready(const Node& node, const Value& value) {
    ++used_slots_;
    if (&value.graph() != &graph_) fail(node, "reads a value of another graph");
    if (value.producer() != nullptr && !position_.contains(value.producer())) {
      fail(node, format("reads {} before it is produced", quote(value.name())));
    }
    if (value.producer() == &node) fail(node, "reads its own output");
  }

  void check_node_outputs(const Node& node) {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* value = node.output(i);
      if (value == nullptr) continue;
      if (&value->graph() != &graph_) fail(node, "produces a value of another graph");
      if (value->producer() != &node || value->producer_index() != i) {
        fail(*value, format("does not record that {} produces it", quote(node.name())));
      }
    }
  }

  void check_value(const Value& value) {
    if (value.name().empty()) fail(value, "has no name");
    if (graph_.find_value(value.name()) != &value) fail(value, "is not found by its name");
    const bool is_made = value.producer() != nullptr;
    const bool is_captured = value.captured() != nullptr;
    const int sources = (is_made ? 1 : 0) + (is_captured ? 1 : 0) +
                        (value.is_graph_input() || value.is_constant() ? 1 : 0);
    if (sources > 1) fail(value, "has two producers");
    if (sources == 0 && !value.uses().empty()) fail(value, "is read but nothing produces it");
    if (is_made) {
      if (!position_.contains(value.producer()))
        fail(value, "is produced by a node that does not exist");
      if (value.producer()->output(value.producer_index()) != &value) {
        fail(value, "is not among the outputs of the node that produces it");
      }
    }
    for (const Use& use : value.uses()) check_use(value, use);
  }

  void check_use(const Value& value, const Use& use) {
    ++live_uses_;
    if (use.kind == Use::Kind::graph_output) {
      const auto outputs = graph_.outputs();
      if (use.index < 0 || static_cast<std::size_t>(use.index) >= outputs.size() ||
          outputs[static_cast<std::size_t>(use.index)] != &value) {
        fail(value, "is marked as a graph output, but is not one");
      }
      return;
    }
    const auto first = first_slot_.find(use.node);
    if (first == first_slot_.end()) fail(value, "is read by a node that does not exist");
    const bool is_input = use.kind == Use::Kind::input;
    const std::int64_t count =
        is_input ? use.node->input_count() : use.node->implicit_input_count();
    const bool is_read =
        use.index >= 0 && use.index < count &&
        (is_input ? use.node->input(use.index) : use.node->implicit_input(use.index)) == &value;
    if (!is_read) fail(value, format("is not read by {}", quote(use.node->name())));
    const std::size_t slot = first->second + static_cast<std::size_t>(use.index) +
                             static_cast<std::size_t>(is_input ? 0 : use.node->input_count());
    if (slots_seen_[slot])
      fail(value, format("counts one input of {} twice", quote(use.node->name())));
    slots_seen_[slot] = true;
  }

  void check_outputs() const {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const Value& value = *graph_.outputs()[i];
      const auto uses = value.uses();
      const bool knows = std::any_of(uses.begin(), uses.end(), [i](const Use& use) {
        return use.kind == Use::Kind::graph_output && static_cast<std::size_t>(use.index) == i;
      });
      if (!knows) fail(value, "does not record that it is a graph output");
    }
    for (const Value* input : graph_.inputs()) {
      if (!input->is_graph_input()) fail(*input, "does not record that it is a graph input");
    }
  }

  void check_captures() const {
    const Node* owner = graph_.owner();
    for (const Value* capture : graph_.captures()) {
      if (capture->captured() == nullptr) fail(*capture, "captures nothing");
      if (owner == nullptr) fail(*capture, "captures a value, but has no outer graph");
      if (&capture->captured()->graph() != &owner->graph()) {
        fail(*capture, "captures a value that is not in the outer graph");
      }
    }
    for (const Node& node : graph_.nodes()) check_implicit_inputs(node);
  }

  void check_implicit_inputs(const Node& node) const {
    std::vector<const Value*> captures;
    for (const Graph* subgraph : node.subgraphs())
      captures.insert(captures.end(), subgraph->captures().begin(), subgraph->captures().end());
    const auto count = static_cast<std::int64_t>(captures.size());
    if (count != node.implicit_input_count()) {
      fail(node, format("has {} implicit inputs where its graphs capture {} values",
                        node.implicit_input_count(), count));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const Value& capture = *captures[static_cast<std::size_t>(i)];
      const Value& read = *node.implicit_input(i);
      if (capture.captured() != &read) {
        fail(node, format("has the implicit input {} at place {}, where its graphs capture {}",
                          quote(read.name()), i, quote(capture.name())));
      }
    }
  }

  const Graph& graph_;
  std::unordered_map<const Node*, std::int64_t> position_;
  std::unordered_map<const Node*, std::size_t> first_slot_;
  std::vector<bool> slots_seen_;  ///< one bit for each input and implicit input, by node
  std::int64_t used_slots_ = 0;
  std::int64_t live_uses_ = 0;
};

}  // namespace

void verify(const Graph& graph) {
  std::vector<const Graph*> graphs = {&graph};
  while (!graphs.empty()) {
    const Graph& each = *graphs.back();
    graphs.pop_back();
    Verifier(each).check();
    for (const Node& node : each.nodes()) {
      for (const Graph* subgraph : node.subgraphs()) graphs.push_back(subgraph);
    }
  }
}

}  // namespace ortool
