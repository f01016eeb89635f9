// Building ranked trees from a forest.
#include "kernels/cpu/ml/ranked_trees.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ortool::cpu {
namespace {

constexpr std::int32_t max_ranked_features = 256;
constexpr std::size_t max_thresholds = 65'534;
constexpr std::int32_t max_depth = 16;
/// Heaps may have this many times the nodes of the forest.
constexpr std::int64_t max_growth = 4;
/// The walk loads the first 64 nodes into registers.
constexpr std::int64_t least_nodes = 64;

bool is_ordered(ForestComparison comparison) {
  return comparison == ForestComparison::less_or_equal || comparison == ForestComparison::less ||
         comparison == ForestComparison::greater_or_equal ||
         comparison == ForestComparison::greater;
}

class Builder {
 public:
  explicit Builder(const Forest<float>& forest) : forest_(forest) {}

  std::optional<RankedTrees> build() {
    if (!forest_.comparisons.empty() || !forest_.takes_missing.empty() ||
        !forest_.member_set.empty() || !is_ordered(forest_.comparison))
      return std::nullopt;
    if (!collect_thresholds() || !has_room()) return std::nullopt;
    // x > t is !(x <= t), and x >= t is !(x < t), except for NaN, for which both are false.
    const bool is_above = forest_.comparison == ForestComparison::greater ||
                          forest_.comparison == ForestComparison::greater_or_equal;
    left_ = is_above ? 1 : 0;
    result_.counts_equal = forest_.comparison == ForestComparison::less ||
                           forest_.comparison == ForestComparison::greater_or_equal;
    result_.missing_rank = is_above ? 0 : 0xFFFF;
    if (votes_for_each_target()) result_.targets = votes_of(forest_.first_leaf);
    for (std::size_t i = 0; i < forest_.roots.size(); ++i)
      add_tree(forest_.roots[i], forest_.depths[i]);
    return std::move(result_);
  }

 private:
  bool collect_thresholds() {
    std::int32_t features = 0;
    for (std::int32_t i = 0; i < forest_.first_leaf; ++i) {
      const auto& node = forest_.nodes[static_cast<std::size_t>(i)];
      if (std::isnan(node.threshold)) return false;
      features = std::max(features, node.feature + 1);
    }
    if (features > max_ranked_features) return false;
    std::vector<std::vector<float>> by_feature(static_cast<std::size_t>(features));
    for (std::int32_t i = 0; i < forest_.first_leaf; ++i) {
      const auto& node = forest_.nodes[static_cast<std::size_t>(i)];
      by_feature[static_cast<std::size_t>(node.feature)].push_back(node.threshold);
    }
    for (std::vector<float>& each : by_feature) {
      std::sort(each.begin(), each.end());
      each.erase(std::unique(each.begin(), each.end()), each.end());
      if (each.size() > max_thresholds) return false;
      result_.begins.push_back(static_cast<std::int32_t>(result_.thresholds.size()));
      result_.thresholds.insert(result_.thresholds.end(), each.begin(), each.end());
    }
    result_.begins.push_back(static_cast<std::int32_t>(result_.thresholds.size()));
    return true;
  }

  bool has_room() const {
    std::int64_t total = 0;
    for (const std::int32_t depth : forest_.depths) {
      if (depth > max_depth) return false;
      total += std::max(least_nodes, std::int64_t{1} << depth);
    }
    const auto own = static_cast<std::int64_t>(forest_.nodes.size());
    const auto trees = static_cast<std::int64_t>(forest_.roots.size());
    return total <= max_growth * own + least_nodes * trees;
  }

  std::int64_t votes_of(std::int32_t leaf) const {
    const auto index = static_cast<std::size_t>(leaf - forest_.first_leaf);
    return forest_.vote_begins[index + 1] - forest_.vote_begins[index];
  }

  /// Whether every leaf votes for target 0, 1 and so on, once each and up to the same one.
  bool votes_for_each_target() const {
    const auto nodes = static_cast<std::int32_t>(forest_.nodes.size());
    if (nodes == forest_.first_leaf) return false;
    const std::int64_t targets = votes_of(forest_.first_leaf);
    if (targets < 1 || targets > RankedTrees::max_targets) return false;
    for (std::int32_t leaf = forest_.first_leaf; leaf < nodes; ++leaf) {
      if (votes_of(leaf) != targets) return false;
      const std::int64_t begin =
          forest_.vote_begins[static_cast<std::size_t>(leaf - forest_.first_leaf)];
      for (std::int64_t i = 0; i < targets; ++i) {
        if (forest_.votes[static_cast<std::size_t>(begin + i)].target != i) return false;
      }
    }
    return true;
  }

  std::uint32_t packed(const Forest<float>::Node& node) const {
    const auto feature = static_cast<std::size_t>(node.feature);
    const auto begin = result_.thresholds.begin() + result_.begins[feature];
    const auto end = result_.thresholds.begin() + result_.begins[feature + 1];
    const auto rank = std::lower_bound(begin, end, node.threshold) - begin;
    return static_cast<std::uint32_t>(feature) << 16 | static_cast<std::uint32_t>(rank);
  }

  void add_tree(std::int32_t root, std::int32_t depth) {
    const RankedTrees::Tree tree = {depth, static_cast<std::int64_t>(result_.nodes.size()),
                                    static_cast<std::int64_t>(result_.leaves.size())};
    const std::int64_t inner = (std::int64_t{1} << depth) - 1;
    result_.nodes.resize(result_.nodes.size() +
                         static_cast<std::size_t>(std::max(inner, least_nodes)));
    std::vector<std::int32_t> level = {root};
    std::int64_t place = tree.first_node;
    for (std::int32_t i = 0; i < depth; ++i) {
      std::vector<std::int32_t> next;
      for (const std::int32_t at : level) {
        const auto& node = forest_.nodes[static_cast<std::size_t>(at)];
        if (at < forest_.first_leaf) result_.nodes[static_cast<std::size_t>(place)] = packed(node);
        ++place;
        next.push_back(node.next[left_]);
        next.push_back(node.next[1 - left_]);
      }
      level = std::move(next);
    }
    for (const std::int32_t leaf : level) {
      result_.leaves.push_back(leaf);
      const std::int64_t begin =
          forest_.vote_begins[static_cast<std::size_t>(leaf - forest_.first_leaf)];
      for (std::int64_t i = 0; i < result_.targets; ++i)
        result_.leaf_weights.push_back(forest_.votes[static_cast<std::size_t>(begin + i)].weight);
    }
    result_.trees.push_back(tree);
  }

  const Forest<float>& forest_;
  RankedTrees result_;
  std::size_t left_ = 0;  ///< the link that ranks not above the node's follow
};

}  // namespace

std::optional<RankedTrees> RankedTrees::make(const Forest<float>& forest) {
  return Builder(forest).build();
}

}  // namespace ortool::cpu
