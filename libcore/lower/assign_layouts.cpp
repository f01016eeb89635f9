// Layout assignment: writes the chosen layouts, with reorders where they differ, and stores what
// products round to bfloat16 in it.
#include "libcore/lower/assign_layouts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/layout_search.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {
namespace {

class ReorderWriter {
 public:
  ReorderWriter(Graph& graph, const Provider& host) : graph_(graph), host_(host) {}

  void note_outputs(const PlacedGroup& group, const LayoutChoice& choice) {
    const std::vector<Value*> outputs = group.view.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != nullptr && choice.output(i) != Layout::plain)
        layouts_[outputs[i]] = choice.output(i);
    }
  }

  /// Connects the group to inputs in the layouts it reads; groups of new nodes go to `result`.
  void set_inputs(const PlacedGroup& group, const LayoutChoice& choice,
                  std::vector<PlacedGroup>& result) {
    const std::vector<Value*> inputs = group.view.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == nullptr || layout_of(*inputs[i]) == choice.input(i)) continue;
      Value& converted = reordered(*inputs[i], choice.input(i), result);
      replace_input(group.view, i, converted);
    }
  }

 private:
  Layout layout_of(const Value& value) const {
    const auto found = layouts_.find(&value);
    return found == layouts_.end() ? Layout::plain : found->second;
  }

  /// `value` in another layout, by an existing reorder or a new one.
  Value& reordered(Value& value, Layout layout, std::vector<PlacedGroup>& result) {
    Value*& converted = converted_[&value][static_cast<std::size_t>(layout)];
    if (converted != nullptr) return *converted;
    std::string name =
        std::string(value.name()).append(1, ':').append(std::string(layout_name(layout)));
    if (graph_.find_value(name) != nullptr) name.clear();
    converted = &graph_.add_value(name, value.type());
    Node* const producer = value.producer();
    Node* const before = producer != nullptr ? producer->next() : graph_.first_node();
    Value* const from = &value;
    Node& node = graph_.add_node("Reorder", own_domain, {&from, 1}, {&converted, 1}, name, before);
    PlacedGroup& group = result.emplace_back(PlacedGroup{NodeView(node), &host_, {}});
    group.view.set_layouts({.inputs = {layout_of(value)}, .outputs = {layout}, .nanoseconds = 0});
    return *converted;
  }

  /// Replaces the group's input at this position, in whichever member it is.
  void replace_input(const NodeView& view, std::size_t position, Value& by) {
    const auto& members = view.members();
    std::size_t index = 0;
    for (const Node* member : members) {
      for (std::int64_t i = 0; i < member->input_count(); ++i) {
        Value* const input = member->input(i);
        const bool is_inside =
            input != nullptr && input->producer() != nullptr &&
            std::find(members.begin(), members.end(), input->producer()) != members.end();
        if (is_inside || index++ != position) continue;
        const auto use =
            std::find_if(input->uses().begin(), input->uses().end(), [&](const Use& each) {
              return each.kind == Use::Kind::input && each.node == member && each.index == i;
            });
        graph_.set_input(*use->node, i, &by);
        return;
      }
    }
  }

  Graph& graph_;
  const Provider& host_;
  std::unordered_map<const Value*, Layout> layouts_;  ///< of values that are not plain
  std::unordered_map<const Value*, std::array<Value*, layout_count>> converted_;
};

/// Whether a value's group may write it in bfloat16, and the groups that read it.
struct Bfloat16Candidate {
  LayoutChoice* producer = nullptr;
  std::vector<std::pair<LayoutChoice*, std::size_t>> readers;
  bool is_rounded = false;  ///< by a reader in any case
};

/// Stores values in bfloat16 that all readers can read so, if one of them rounds them anyway.
void store_bfloat16(std::span<const PlacedGroup> groups, std::span<LayoutChoice> choices) {
  std::unordered_map<const Value*, Bfloat16Candidate> candidates;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!choices[i].may_write_bfloat16 || choices[i].output(0) != Layout::blocked16) continue;
    const std::vector<Value*> outputs = groups[i].view.outputs();
    if (outputs.size() == 1 && outputs[0] != nullptr)
      candidates.emplace(outputs[0], Bfloat16Candidate{&choices[i], {}, false});
  }
  for (std::size_t i = 0; i < groups.size() && !candidates.empty(); ++i) {
    LayoutChoice& choice = choices[i];
    const std::vector<Value*> inputs = groups[i].view.inputs();
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      const auto found = candidates.find(inputs[input]);
      if (found == candidates.end()) continue;
      if (choice.input(input) != Layout::blocked16 || !choice.may_read_bfloat16(input)) {
        candidates.erase(found);
        continue;
      }
      found->second.readers.emplace_back(&choice, input);
      found->second.is_rounded = found->second.is_rounded || choice.rounds(input);
    }
  }
  for (const auto& [value, candidate] : candidates) {
    if (!candidate.is_rounded) continue;
    candidate.producer->outputs[0] = Layout::blocked16_bfloat16;
    for (const auto& [reader, input] : candidate.readers)
      reader->inputs[input] = Layout::blocked16_bfloat16;
  }
}

}  // namespace

void assign_layouts(Graph& graph, std::vector<PlacedGroup>& groups, const Provider& host) {
  std::vector<LayoutChoice> choices = choose_layouts(groups);
  if (choices.empty()) return;
  store_bfloat16(groups, choices);
  import_domain(graph, own_domain, own_opset);
  ReorderWriter writer(graph, host);
  for (std::size_t i = 0; i < groups.size(); ++i) writer.note_outputs(groups[i], choices[i]);
  std::vector<PlacedGroup> result;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    writer.set_inputs(groups[i], choices[i], result);
    groups[i].view.set_layouts(choices[i]);
    result.push_back(std::move(groups[i]));
  }
  groups = std::move(result);
}

void assign_layouts(Graph& main, PlacedGraphs& placed, const Provider& host) {
  std::vector<Graph*> open = {&main};
  while (!open.empty()) {
    Graph& graph = *open.back();
    open.pop_back();
    for (Node& node : graph.nodes()) {
      for (Graph* body : node.subgraphs()) open.push_back(body);
    }
    assign_layouts(graph, placed.at(&graph), host);
  }
}

}  // namespace ortool
