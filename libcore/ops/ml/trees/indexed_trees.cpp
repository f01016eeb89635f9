// Reader for trees whose branches are given by index, with range checks.
#include "libcore/ops/ml/trees/indexed_trees.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_rows = INT32_MAX;

std::vector<std::int64_t> read_node_list(AttributeReader& attributes, std::string_view name,
                                         std::size_t count) {
  std::vector<std::int64_t> list = read_integers(attributes, name);
  check_list_size(name, list.size(), count, "one per node");
  return list;
}

std::vector<TreeComparison> read_comparisons(AttributeReader& attributes) {
  const Tensor modes = attributes.tensor("nodes_modes");
  if (modes.type() != DataType::uint8 || modes.shape().rank() != 1) {
    throw Error(ErrorCode::invalid,
                format("attribute 'nodes_modes' is {} of shape {} (expected a vector of uint8)",
                       name_of(modes.type()), modes.shape().to_string()));
  }
  std::vector<TreeComparison> result;
  for (const std::uint8_t mode : modes.data<std::uint8_t>()) {
    if (mode > static_cast<std::uint8_t>(TreeComparison::member)) {
      throw Error(ErrorCode::invalid, format("nodes_modes holds {} (expected 0 to 6)", mode));
    }
    result.push_back(static_cast<TreeComparison>(mode));
  }
  return result;
}

struct Branches {
  std::string_view name;
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> are_leaves;
};

Branches read_branches(AttributeReader& attributes, std::string_view name,
                       std::string_view leaf_name, std::size_t count) {
  return {name, read_node_list(attributes, name, count),
          read_node_list(attributes, leaf_name, count)};
}

TreeLink link_at(const Branches& branches, std::size_t node, std::size_t nodes,
                 std::int64_t leaves) {
  const std::int64_t position = branches.positions[node];
  const std::int64_t is_leaf = branches.are_leaves[node];
  const std::int64_t limit = is_leaf != 0 ? leaves : static_cast<std::int64_t>(nodes);
  if (is_leaf < 0 || is_leaf > 1 || position < 0 || position >= limit) {
    throw Error(ErrorCode::invalid,
                format("{} of node {} is {} (expected a position below {}), its kind {}",
                       branches.name, node, position, limit, is_leaf));
  }
  return {static_cast<std::int32_t>(position), is_leaf == 1};
}

void read_leaves(AttributeReader& attributes, DecisionTrees& trees) {
  const std::vector<std::int64_t> targets = read_integers(attributes, "leaf_targetids");
  const std::vector<double> weights =
      doubles_of_vector(attributes.tensor("leaf_weights"), "leaf_weights");
  check_list_size("leaf_weights", weights.size(), targets.size(), "as many as leaf_targetids");
  if (targets.size() > max_rows)
    throw Error(ErrorCode::invalid, format("there are {} leaves", targets.size()));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    trees.votes.push_back({targets[i], weights[i]});
    trees.vote_begins.push_back(static_cast<std::int64_t>(i) + 1);
  }
}

/// Sets of numbers, each terminated by a NaN, in the order of the nodes that test membership.
void read_member_sets(AttributeReader& attributes, DecisionTrees& trees) {
  const Tensor tensor = attributes.tensor("membership_values");
  if (!tensor.is_empty()) {
    std::vector<double> set;
    for (const double value : doubles_of_vector(tensor, "membership_values")) {
      if (!std::isnan(value)) {
        set.push_back(value);
        continue;
      }
      trees.member_sets.push_back(std::move(set));
      set.clear();
    }
    if (!set.empty()) trees.member_sets.push_back(std::move(set));
  }
  std::int32_t count = 0;
  for (TreeNode& node : trees.nodes) {
    if (node.comparison == TreeComparison::member) node.member_set = count++;
  }
  check_list_size("membership_values", trees.member_sets.size(), static_cast<std::size_t>(count),
                  "sets, one for each node that tests membership");
}

void read_roots(AttributeReader& attributes, DecisionTrees& trees) {
  const auto count = static_cast<std::int64_t>(trees.nodes.size());
  for (const std::int64_t root : read_integers(attributes, "tree_roots")) {
    if (root < 0 || root >= count) {
      throw Error(ErrorCode::invalid,
                  format("tree_roots holds {} (expected 0 to {})", root, count - 1));
    }
    trees.roots.push_back({static_cast<std::int32_t>(root), false});
  }
  if (trees.roots.empty())
    throw Error(ErrorCode::invalid, "attribute 'tree_roots' has no elements");
}

}  // namespace

DecisionTrees read_indexed_trees(AttributeReader& attributes) {
  const std::vector<TreeComparison> comparisons = read_comparisons(attributes);
  const std::size_t count = comparisons.size();
  if (count > max_rows) throw Error(ErrorCode::invalid, format("there are {} nodes", count));
  const std::vector<double> splits =
      doubles_of_vector(attributes.tensor("nodes_splits"), "nodes_splits");
  check_list_size("nodes_splits", splits.size(), count, "one per node");
  const std::vector<std::int64_t> features = read_node_list(attributes, "nodes_featureids", count);
  const Branches on_true = read_branches(attributes, "nodes_truenodeids", "nodes_trueleafs", count);
  const Branches on_false =
      read_branches(attributes, "nodes_falsenodeids", "nodes_falseleafs", count);
  std::vector<std::int64_t> missing = read_integers(attributes, "nodes_missing_value_tracks_true");
  if (missing.empty()) missing.resize(count);
  check_list_size("nodes_missing_value_tracks_true", missing.size(), count, "one per node");
  const Tensor rates = attributes.tensor("nodes_hitrates");
  if (rates.element_count() != 0 && !rates.is_empty()) {
    check_list_size("nodes_hitrates", static_cast<std::size_t>(rates.element_count()), count,
                    "one per node");
  }

  DecisionTrees trees;
  read_leaves(attributes, trees);
  for (std::size_t i = 0; i < count; ++i) {
    use_feature(trees, features[i]);
    trees.nodes.push_back({.threshold = splits[i],
                           .feature = features[i],
                           .on_true = link_at(on_true, i, count, trees.leaf_count()),
                           .on_false = link_at(on_false, i, count, trees.leaf_count()),
                           .comparison = comparisons[i],
                           .takes_true_when_missing = missing[i] != 0});
  }
  read_member_sets(attributes, trees);
  read_roots(attributes, trees);
  if (const std::int64_t node = find_cycle(trees); node >= 0) {
    throw Error(ErrorCode::invalid, format("branches form a cycle, at node {} or before it", node));
  }
  return trees;
}

}  // namespace ortool
