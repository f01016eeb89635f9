// Near misses: tries every rule at every node again, after rewriting has finished.
#include "libcore/optimize/rewrite/closest_matches.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/mismatch.hpp"

namespace ortool {
namespace {

using Kind = PatternPart::Kind;

constexpr std::int64_t fewest_nodes = 2;

/// The number of nodes in the smallest match.
std::int64_t fewest_nodes_of(const PatternPart& part) {
  if (part.is_optional) return 0;
  std::int64_t sum = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Pattern& operand : part.operands) {
    const std::int64_t count = fewest_nodes_of(operand.part());
    sum += count;
    least = std::min(least, count);
  }
  if (part.kind == Kind::operation) return sum + 1;
  if (part.kind == Kind::chain) return sum + static_cast<std::int64_t>(part.operands.size()) - 1;
  return part.kind == Kind::alternatives ? least : 0;
}

/// A partial match, before it is formatted as text.
struct Candidate {
  const Node* root = nullptr;
  PartialMatch partial;

  std::int64_t found() const { return static_cast<std::int64_t>(partial.nodes.size()); }
};

std::optional<ClosestMatch> closest_match(const Rule& rule, std::span<Graph* const> graphs,
                                          const RewriteOptions& options) {
  const std::vector<std::string> ends = root_operators(rule.pattern);
  Candidate best;
  for (Graph* graph : graphs) {
    for (Node& node : graph->nodes()) {
      if (std::find(ends.begin(), ends.end(), node.op_type()) == ends.end()) continue;
      options.poll();
      Match match;
      Candidate candidate{&node, {}};
      if (find_match(rule.pattern, node, match, candidate.partial)) continue;
      if (candidate.found() > best.found()) best = std::move(candidate);
    }
  }
  const std::int64_t expected = std::max(fewest_nodes_of(rule.pattern.part()), best.found() + 1);
  if (best.found() < fewest_nodes || best.found() * 2 < expected) return std::nullopt;
  ClosestMatch closest{
      rule.name, std::string(best.root->name()), {}, expected, std::move(best.partial.reason)};
  for (const Node* node : best.partial.nodes) closest.nodes.emplace_back(node->name());
  return closest;
}

double share_of(const ClosestMatch& match) {
  return static_cast<double>(match.nodes.size()) / static_cast<double>(match.expected);
}

}  // namespace

std::vector<ClosestMatch> closest_matches(const Model& model, std::span<const RuleGroup> groups,
                                          const RewriteOptions& options, std::size_t most) {
  std::vector<ClosestMatch> matches;
  const std::vector<Graph*> graphs = graphs_in(*model.graph);
  for (const RuleGroup& group : groups) {
    for (const Rule& rule : group.rules) {
      if (!options.chooses(rule.name)) continue;
      if (std::optional<ClosestMatch> match = closest_match(rule, graphs, options))
        matches.push_back(std::move(*match));
    }
  }
  std::stable_sort(
      matches.begin(), matches.end(),
      [](const ClosestMatch& a, const ClosestMatch& b) { return share_of(a) > share_of(b); });
  if (matches.size() > most) matches.resize(most);
  return matches;
}

}  // namespace ortool
