// Ranked decision trees: thresholds and features are replaced by ranks, so that a node takes four
// bytes, and trees are stored as heaps, so that it needs no links.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/ml/tree_ensemble.hpp"

namespace ortool::cpu {

/// All trees of a forest whose nodes compare alike, by order. A feature's rank is the number of its
/// thresholds below it (or not above it), so that comparing ranks is comparing features.
struct RankedTrees {
  /// Weights of leaves are repeated as leaves are, for each target.
  static constexpr std::int64_t max_targets = 16;

  struct Tree {
    std::int32_t depth = 0;       ///< all leaves are at this depth; shallower ones are repeated
    std::int64_t first_node = 0;  ///< in `nodes`: heap of 2^depth - 1 nodes, padded to 64
    std::int64_t first_leaf = 0;  ///< in `leaves`: 2^depth
  };

  std::vector<float> thresholds;     ///< sorted for each feature, without repeats
  std::vector<std::int32_t> begins;  ///< of each feature's thresholds, and the end
  bool counts_equal = false;         ///< ranks count thresholds that equal the feature, too
  std::uint16_t missing_rank = 0;    ///< of NaN
  std::vector<std::uint32_t> nodes;  ///< feature << 16 | rank; a rank not above it goes left
  std::vector<std::int32_t> leaves;  ///< nodes of the forest
  /// leaf_weights[leaf * targets + target], if every leaf has one vote for each target; or empty.
  std::vector<float> leaf_weights;
  std::int64_t targets = 0;  ///< of leaf_weights
  std::vector<Tree> trees;

  /// Nothing if comparisons differ or are not by order, if NaN is looked for, if there are too many
  /// features or thresholds, or if trees are so unbalanced that heaps would waste memory.
  static std::optional<RankedTrees> make(const Forest<float>& forest);
};

}  // namespace ortool::cpu
