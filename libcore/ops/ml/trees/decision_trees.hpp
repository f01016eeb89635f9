// Decision trees as tables that were checked: every branch leads somewhere and every walk ends.
#pragma once

#include <cstdint>
#include <vector>

namespace ortool {

/// How a node compares a feature (left) with its threshold (right).
enum class TreeComparison : std::uint8_t {
  less_or_equal,
  less,
  greater_or_equal,
  greater,
  equal,
  not_equal,
  member,  ///< the feature is in a set
};

/// Where a branch leads: to a node or to a leaf.
struct TreeLink {
  std::int32_t index = 0;
  bool is_leaf = false;
};

struct TreeNode {
  double threshold = 0;  ///< exactly what the file says, be it float16, float32 or float64
  std::int64_t feature = 0;
  TreeLink on_true;
  TreeLink on_false;
  std::int32_t member_set = -1;  ///< of `member`: index among the sets
  TreeComparison comparison = TreeComparison::less_or_equal;
  bool takes_true_when_missing = false;  ///< for a NaN
};

/// What a leaf adds to a target (or class).
struct TreeVote {
  std::int64_t target = 0;
  double weight = 0;
};

/// Several trees. Two branches may meet in one node, but none leads back.
struct DecisionTrees {
  std::vector<TreeLink> roots;
  std::vector<TreeNode> nodes;
  /// The votes of leaf i are [vote_begins[i], vote_begins[i + 1]).
  std::vector<std::int64_t> vote_begins = {0};
  std::vector<TreeVote> votes;
  std::vector<std::vector<double>> member_sets;
  std::int64_t feature_limit = 0;  ///< one above the largest feature used

  std::int64_t leaf_count() const { return static_cast<std::int64_t>(vote_begins.size()) - 1; }
};

/// A node on a cycle, or behind one; -1 when there is none. Time and memory grow with the nodes.
std::int64_t find_cycle(const DecisionTrees& trees);

/// Notes that a node uses `feature`; throws ErrorCode::invalid for a negative one.
void use_feature(DecisionTrees& trees, std::int64_t feature);

/// Throws ErrorCode::invalid unless every vote is for a target in [0, target_count).
void check_votes(const DecisionTrees& trees, std::int64_t target_count);

}  // namespace ortool
