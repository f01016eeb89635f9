// Claims in order of preference, and the one error that lists all that nobody takes.
#include "libcore/runtime/place.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

struct Choice {
  bool is_taken = false;
  std::vector<std::string> reasons;
};

using Choices = std::unordered_map<const Node*, Choice>;

bool all_free(const Claim& claim, const Choices& choices) {
  return std::none_of(claim.members.begin(), claim.members.end(),
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
              format("first reason: {}", choices.at(nodes.front()).reasons.back()));
  error.with_id("placement.unsupported");
  for (const Node* node : nodes) {
    error.add_part(Error(ErrorCode::unsupported, choices.at(node).reasons.back())
                       .at_node(node->name(), node->op_type())
                       .with_id("placement.unsupported"));
  }
  throw error;
}

}  // namespace

std::vector<PlacedGroup> place(const Graph& graph,
                               std::span<const std::shared_ptr<const Provider>> providers,
                               bool strict) {
  Choices choices;
  std::unordered_map<const Node*, std::int64_t> position;
  for (const Node& node : graph.nodes()) {
    position.emplace(&node, static_cast<std::int64_t>(position.size()));
    choices.emplace(&node, Choice());
  }
  std::vector<PlacedGroup> groups;
  for (const auto& provider : providers) {
    Claims claims = provider->claims(graph);
    for (const Refusal& refusal : claims.refused) {
      Choice& choice = choices.at(refusal.node);
      if (!choice.is_taken)
        choice.reasons.push_back(format("{}: {}", provider->name(), refusal.reason));
    }
    for (Claim& claim : claims.taken) {
      if (!all_free(claim, choices)) continue;
      for (const Node* node : claim.members) choices.at(node).is_taken = true;
      std::vector<std::string> reasons = choices.at(claim.members.front()).reasons;
      groups.push_back({NodeView(std::move(claim.members)), provider.get(), std::move(reasons)});
    }
    if (strict) break;
  }
  std::vector<const Node*> left;
  for (const Node& node : graph.nodes()) {
    if (!choices.at(&node).is_taken) left.push_back(&node);
  }
  if (!left.empty() && strict && providers.size() > 1) {
    throw Error(ErrorCode::provider_unavailable,
                format("{} of {} nodes cannot run on '{}': {}", left.size(), graph.node_count(),
                       providers.front()->name(), choices.at(left.front()).reasons.back()),
                "leave --strict-provider out, and the other providers take those nodes");
  }
  if (!left.empty()) fail_unsupported(left, choices);
  std::sort(groups.begin(), groups.end(), [&](const PlacedGroup& a, const PlacedGroup& b) {
    return position.at(a.view.members().back()) < position.at(b.view.members().back());
  });
  return groups;
}

}  // namespace ortool
