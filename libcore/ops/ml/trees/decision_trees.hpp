// Decision trees as validated tables: every branch has a target, and every traversal terminates.
#pragma once

#include <cstdint>
#include <vector>

namespace ortool {

/// How a node compares a feature (left operand) with its threshold (right operand).
enum class TreeComparison : std::uint8_t {
  less_or_equal,
  less,
  greater_or_equal,
  greater,
  equal,
  not_equal,
  member,  ///< the feature is in a set
};

/// The target of a branch: a node or a leaf.
struct TreeLink {
  std::int32_t index = 0;
  bool is_leaf = false;
};

struct TreeNode {
  double threshold = 0;  ///< exact value from the file, be it float16, float32 or float64
  std::int64_t feature = 0;
  TreeLink on_true;
  TreeLink on_false;
  std::int32_t member_set = -1;  ///< for `member`: index of the set
  TreeComparison comparison = TreeComparison::less_or_equal;
  bool takes_true_when_missing = false;  ///< the branch for NaN
};

/// The contribution of a leaf to a target (or class).
struct TreeVote {
  std::int64_t target = 0;
  double weight = 0;
};

/// Several trees. Two branches may lead to the same node, but the graph has no cycles.
struct DecisionTrees {
  std::vector<TreeLink> roots;
  std::vector<TreeNode> nodes;
  /// The votes of leaf i are [vote_begins[i], vote_begins[i + 1]).
  std::vector<std::int64_t> vote_begins = {0};
  std::vector<TreeVote> votes;
  std::vector<std::vector<double>> member_sets;
  std::int64_t feature_limit = 0;  ///< one more than the largest feature index in use

  std::int64_t leaf_count() const { return static_cast<std::int64_t>(vote_begins.size()) - 1; }
};

/// A node on a cycle or reachable from one; -1 when there is none. Takes time and memory linear in
/// the number of nodes.
std::int64_t find_cycle(const DecisionTrees& trees);

/// Updates `feature_limit` for a node that uses `feature`; throws ErrorCode::invalid for a negative
/// one.
void use_feature(DecisionTrees& trees, std::int64_t feature);

/// Throws ErrorCode::invalid unless every vote is for a target in [0, target_count).
void check_votes(const DecisionTrees& trees, std::int64_t target_count);

}  // namespace ortool
