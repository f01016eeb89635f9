// Validation of decision trees: no cycles and no indices out of range.
#include "libcore/ops/ml/trees/decision_trees.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

std::int64_t find_cycle(const DecisionTrees& trees) {
  // Topological sort: repeatedly removes nodes without parents; what remains is on a cycle or
  // behind one.
  std::vector<std::int32_t> parents(trees.nodes.size());
  const auto for_each_child = [&](std::size_t node, const auto& body) {
    for (const TreeLink& link : {trees.nodes[node].on_true, trees.nodes[node].on_false}) {
      if (!link.is_leaf) body(static_cast<std::size_t>(link.index));
    }
  };
  for (std::size_t i = 0; i < trees.nodes.size(); ++i)
    for_each_child(i, [&](std::size_t child) { ++parents[child]; });
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] == 0) free.push_back(i);
  }
  while (!free.empty()) {
    const std::size_t node = free.back();
    free.pop_back();
    for_each_child(node, [&](std::size_t child) {
      if (--parents[child] == 0) free.push_back(child);
    });
  }
  const auto left = std::find_if(parents.begin(), parents.end(), [](auto n) { return n > 0; });
  return left == parents.end() ? -1 : left - parents.begin();
}

void use_feature(DecisionTrees& trees, std::int64_t feature) {
  if (feature < 0 || feature == INT64_MAX) {
    throw Error(ErrorCode::invalid, format("a node reads feature {}", feature));
  }
  trees.feature_limit = std::max(trees.feature_limit, feature + 1);
}

void check_votes(const DecisionTrees& trees, std::int64_t target_count) {
  for (const TreeVote& vote : trees.votes) {
    if (vote.target >= 0 && vote.target < target_count) continue;
    throw Error(ErrorCode::invalid, format("a leaf votes for {} of {} targets or classes (expected "
                                           "0 to {})",
                                           vote.target, target_count, target_count - 1));
  }
}

}  // namespace ortool
