// Placement: collects claims by preference, and reports all unassigned nodes in one error.
#include "libcore/lower/place.hpp"

#include <algorithm>
#include <set>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/lower/subgraph_refusals.hpp"

namespace ortool {
namespace {

struct Choice {
  bool is_taken = false;
  std::int64_t position = 0;
  std::vector<std::string> reasons;

  /// Adds a reason once, although providers may be asked twice.
  void add_reason(std::string reason) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  }
  std::string last_reason() const {
    return reasons.empty() ? "no provider takes it" : reasons.back();
  }
};

using Choices = std::unordered_map<const Node*, Choice>;

bool all_free(const std::vector<const Node*>& nodes, const Choices& choices) {
  return std::none_of(nodes.begin(), nodes.end(),
                      [&](const Node* node) { return choices.at(node).is_taken; });
}

[[noreturn]] void fail_unsupported(const std::vector<const Node*>& nodes, const Choices& choices) {
  std::set<std::string> operators;
  for (const Node* node : nodes) {
    operators.insert((node->domain().empty() ? "" : std::string(node->domain()) + ".") +
                     std::string(node->op_type()));
  }
  std::string names;
  for (const std::string& name : operators) names += (names.empty() ? "" : ", ") + name;
  Error error(ErrorCode::unsupported,
              format("no provider computes {} of the nodes; operators: {}", nodes.size(), names),
              format("first reason: {}", choices.at(nodes.front()).last_reason()));
  error.with_id("placement.unsupported");
  for (const Node* node : nodes) {
    error.add_part(Error(ErrorCode::unsupported, choices.at(node).last_reason())
                       .at_node(node->name(), node->op_type())
                       .with_id("placement.unsupported"));
  }
  throw error;
}

/// Whether the group is pinned to another provider.
bool is_for_another(const std::vector<const Node*>& members, const Provider& provider,
                    const PinnedProvider& pinned, Choices& choices) {
  if (!pinned) return false;
  for (const Node* node : members) {
    const std::string name = pinned(*node);
    if (name.empty() || name == provider.name()) continue;
    choices.at(members.front())
        .add_reason(format("{}: the node is assigned to '{}'", provider.name(), name));
    return true;
  }
  return false;
}

/// Assigns to `provider` what it claims of one graph.
void let_claim(const Provider& provider, const Graph& graph, bool fuse,
               const PinnedProvider& pinned, const SubgraphRefusals& refusals, Choices& choices,
               std::vector<PlacedGroup>& groups) {
  Claims claims = provider.claims(graph);
  for (const Refusal& refusal : claims.refused) {
    Choice& choice = choices.at(refusal.node);
    if (choice.is_taken) continue;
    std::string reason = refusals.find(provider.name(), *refusal.node);
    if (reason.empty()) reason = refusal.reason;
    choice.add_reason(format("{}: {}", provider.name(), reason));
  }
  const auto take = [&](std::vector<const Node*> members) {
    if (!all_free(members, choices) || is_for_another(members, provider, pinned, choices)) {
      return false;
    }
    for (const Node* node : members) choices.at(node).is_taken = true;
    std::vector<std::string> reasons = choices.at(members.front()).reasons;
    groups.push_back({NodeView(std::move(members)), &provider, std::move(reasons)});
    return true;
  };
  for (const Claim& claim : claims.taken) {
    if (fuse && take(claim.members)) continue;
    // The unassigned rest of a group is taken node by node.
    if (fuse && claim.members.size() == 1) continue;
    for (const Node* node : claim.members) {
      const std::string reason = provider.refuses_alone(*node);
      if (reason.empty()) {
        take({node});
      } else if (!choices.at(node).is_taken) {
        choices.at(node).add_reason(format("{}: {}", provider.name(), reason));
      }
    }
  }
}

/// Orders groups so that each follows those whose results it reads, otherwise by their last nodes.
/// A group that is part of a graph may end behind nodes that read results of its first ones.
class GroupOrder {
 public:
  GroupOrder(std::vector<PlacedGroup>& groups, const Choices& choices) : groups_(groups) {
    std::stable_sort(groups.begin(), groups.end(), [&](const PlacedGroup& a, const PlacedGroup& b) {
      return choices.at(a.view.members().back()).position <
             choices.at(b.view.members().back()).position;
    });
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const Node* node : groups[i].view.members()) group_of_[node] = i;
    }
    is_placed_.resize(groups.size(), false);
  }

  std::vector<PlacedGroup> sorted() {
    for (std::size_t i = 0; i < groups_.size(); ++i) place_with_producers(i);
    return std::move(result_);
  }

 private:
  void place_with_producers(std::size_t first) {
    std::vector<std::size_t> open = {first};
    while (!open.empty()) {
      const std::size_t group = open.back();
      const std::size_t count = open.size();
      if (!is_placed_[group]) {
        for (const Node* node : groups_[group].view.members()) {
          for (std::int64_t i = 0; i < node->input_count(); ++i) open_producer(node->input(i), group, open);
          for (std::int64_t i = 0; i < node->implicit_input_count(); ++i)
            open_producer(node->implicit_input(i), group, open);
        }
      }
      if (open.size() > count) continue;
      open.pop_back();
      if (is_placed_[group]) continue;
      is_placed_[group] = true;
      result_.push_back(std::move(groups_[group]));
    }
  }

  void open_producer(const Value* value, std::size_t group, std::vector<std::size_t>& open) const {
    if (value == nullptr || value->producer() == nullptr) return;
    const auto found = group_of_.find(value->producer());
    if (found == group_of_.end() || found->second == group || is_placed_[found->second]) return;
    open.push_back(found->second);
  }

  std::vector<PlacedGroup>& groups_;
  std::unordered_map<const Node*, std::size_t> group_of_;
  std::vector<bool> is_placed_;
  std::vector<PlacedGroup> result_;
};

}  // namespace

PlacedGraphs place(const Graph& main, std::span<const std::shared_ptr<const Provider>> providers,
                   bool strict, bool fuse, const PinnedProvider& pinned,
                   const SubgraphRefusals& refusals) {
  PlacedGraphs placed;
  Choices choices;
  std::vector<const Node*> left;
  std::int64_t node_count = 0;
  std::vector<const Graph*> open = {&main};
  while (!open.empty()) {
    const Graph& graph = *open.back();
    open.pop_back();
    std::vector<PlacedGroup>& groups = placed[&graph];
    for (const Node& node : graph.nodes()) {
      Choice& choice = choices[&node];
      choice.position = node_count++;
      // No kernel runs subgraphs of other nodes, such as FlexAttention's: they were decomposed.
      if (!is_control_flow(node)) continue;
      for (const Graph* body : node.subgraphs()) open.push_back(body);
      choice.is_taken = true;
      groups.push_back({NodeView(node), nullptr, {}});
    }
    for (const auto& provider : providers) {
      let_claim(*provider, graph, fuse, pinned, refusals, choices, groups);
      if (strict) break;
    }
    // Nodes that the pinned provider refused.
    for (const auto& provider : providers) {
      if (!pinned || strict) break;
      let_claim(*provider, graph, fuse, nullptr, refusals, choices, groups);
    }
    for (const Node& node : graph.nodes()) {
      if (!choices.at(&node).is_taken) left.push_back(&node);
    }
    groups = GroupOrder(groups, choices).sorted();
  }
  if (!left.empty() && strict && providers.size() > 1) {
    throw Error(
        ErrorCode::provider_unavailable,
        format("{} of {} nodes cannot run on '{}': {}", left.size(), node_count,
               providers.front()->name(), choices.at(left.front()).last_reason()),
        format("omit {} to let other providers take those nodes", setting_name("strict-provider")));
  }
  if (!left.empty()) fail_unsupported(left, choices);
  return placed;
}

PlacedGraphs place(const Graph& main, std::span<const std::shared_ptr<const Provider>> providers,
                   bool strict, bool fuse, const PinnedProvider& pinned) {
  return place(main, providers, strict, fuse, pinned, SubgraphRefusals());
}

}  // namespace ortool
