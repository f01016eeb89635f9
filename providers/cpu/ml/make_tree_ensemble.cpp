// Tree ensemble construction: nodes keep their order, leaves follow; properties common to all nodes
// are stored once.
#include "providers/cpu/ml/make_tree_ensemble.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

static_assert(static_cast<int>(ForestComparison::member) ==
              static_cast<int>(TreeComparison::member));
ForestComparison forest_comparison(const TreeNode& node) {
  return static_cast<ForestComparison>(node.comparison);
}

/// Steps from each node to its deepest leaf; children come before parents.
std::vector<std::int32_t> depths_of(const DecisionTrees& trees) {
  std::vector<std::int32_t> depths(trees.nodes.size(), -1);
  std::vector<std::size_t> open;
  const auto depth_of = [&](const TreeLink& link) {
    return link.is_leaf ? 0 : depths[static_cast<std::size_t>(link.index)];
  };
  for (std::size_t first = 0; first < depths.size(); ++first) {
    open.push_back(first);
    while (!open.empty()) {
      const std::size_t at = open.back();
      const TreeNode& node = trees.nodes[at];
      const std::int32_t on_true = depth_of(node.on_true);
      const std::int32_t on_false = depth_of(node.on_false);
      if (depths[at] < 0 && on_true >= 0 && on_false >= 0)
        depths[at] = std::max(on_true, on_false) + 1;
      if (depths[at] >= 0) {
        open.pop_back();
      } else {
        const TreeLink& next = on_true < 0 ? node.on_true : node.on_false;
        open.push_back(static_cast<std::size_t>(next.index));
      }
    }
  }
  return depths;
}

}  // namespace

bool fits_float32(const DecisionTrees& trees) {
  return std::all_of(trees.nodes.begin(), trees.nodes.end(), [](const TreeNode& node) {
    const double rounded = static_cast<float>(node.threshold);
    return !(rounded < node.threshold) && !(rounded > node.threshold);
  });
}

template <typename T>
Forest<T> make_forest(const DecisionTrees& trees) {
  const std::size_t node_count = trees.nodes.size();
  const std::size_t all = node_count + static_cast<std::size_t>(trees.leaf_count());
  if (all > INT32_MAX)
    throw Error(ErrorCode::unsupported, format("there are {} nodes and leaves", all));
  Forest<T> forest;
  forest.first_leaf = static_cast<std::int32_t>(node_count);
  const auto place_of = [&](const TreeLink& link) {
    return link.index + (link.is_leaf ? forest.first_leaf : 0);
  };
  bool are_alike = true;
  bool takes_missing = false;
  for (const TreeNode& node : trees.nodes) {
    if (node.feature > INT32_MAX)
      throw Error(ErrorCode::unsupported, format("a node reads feature {}", node.feature));
    forest.nodes.push_back({static_cast<T>(node.threshold),
                            static_cast<std::int32_t>(node.feature),
                            {place_of(node.on_true), place_of(node.on_false)}});
    are_alike = are_alike && node.comparison == trees.nodes[0].comparison;
    takes_missing = takes_missing || node.takes_true_when_missing;
  }
  for (std::int32_t i = forest.first_leaf; i < static_cast<std::int32_t>(all); ++i)
    forest.nodes.push_back({T(0), 0, {i, i}});

  if (node_count > 0) forest.comparison = forest_comparison(trees.nodes[0]);
  for (const TreeNode& node : trees.nodes) {
    if (!are_alike) forest.comparisons.push_back(forest_comparison(node));
    if (takes_missing) forest.takes_missing.push_back(node.takes_true_when_missing ? 1 : 0);
    if (!trees.member_sets.empty()) forest.member_set.push_back(node.member_set);
  }
  // A traversal that has reached a leaf evaluates it too; the result does not matter.
  if (!are_alike) forest.comparisons.resize(all, ForestComparison::less_or_equal);
  if (takes_missing) forest.takes_missing.resize(all);
  if (!forest.member_set.empty()) forest.member_set.resize(all, 0);
  for (const std::vector<double>& set : trees.member_sets) {
    std::vector<T> sorted(set.begin(), set.end());
    std::sort(sorted.begin(), sorted.end());
    forest.member_sets.push_back(std::move(sorted));
  }

  const std::vector<std::int32_t> depths = depths_of(trees);
  for (const TreeLink& root : trees.roots) {
    forest.roots.push_back(place_of(root));
    forest.depths.push_back(root.is_leaf ? 0 : depths[static_cast<std::size_t>(root.index)]);
  }
  forest.vote_begins = trees.vote_begins;
  for (const TreeVote& vote : trees.votes)
    forest.votes.push_back({vote.target, static_cast<T>(vote.weight)});
  const auto leaves = static_cast<std::size_t>(trees.leaf_count());
  bool has_single_votes = forest.votes.size() == leaves;
  for (std::size_t leaf = 0; has_single_votes && leaf < leaves; ++leaf)
    has_single_votes = forest.vote_begins[leaf + 1] == static_cast<std::int64_t>(leaf) + 1 &&
                       forest.votes[leaf].target == 0;
  if (has_single_votes) {
    forest.leaf_weights.resize(all);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
      forest.leaf_weights[node_count + leaf] = forest.votes[leaf].weight;
  }
  return forest;
}

template Forest<float> make_forest(const DecisionTrees&);
template Forest<double> make_forest(const DecisionTrees&);

}  // namespace ortool::cpu
