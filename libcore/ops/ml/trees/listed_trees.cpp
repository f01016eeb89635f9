// Reader for trees whose branches are given by ids: sorts the rows by id once and looks them up.
#include "libcore/ops/ml/trees/listed_trees.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "libcore/base/format.hpp"
#include "libcore/ops/choice.hpp"
#include "libcore/ops/ml/attribute_lists.hpp"

namespace ortool {
namespace {

/// Ids of a node, and the index of its row in the lists.
struct RowKey {
  std::int64_t tree = 0;
  std::int64_t node = 0;
  std::size_t row = 0;

  bool operator<(const RowKey& other) const {
    return std::tie(tree, node) < std::tie(other.tree, other.node);
  }
};

/// The attribute lists, all of the same length.
struct NodeRows {
  std::vector<std::int64_t> tree_ids;
  std::vector<std::int64_t> node_ids;
  std::vector<std::int64_t> features;
  std::vector<std::int64_t> true_ids;
  std::vector<std::int64_t> false_ids;
  std::vector<std::int64_t> missing_tracks_true;  ///< or empty
  std::vector<double> values;
  std::vector<std::string> modes;
  std::vector<RowKey> keys;  ///< sorted

  std::size_t size() const { return node_ids.size(); }
};

void check_same_length(std::string_view name, std::size_t found, std::size_t expected) {
  check_list_size(name, found, expected, "one per node");
}

NodeRows read_rows_of_nodes(AttributeReader& attributes) {
  NodeRows rows;
  rows.node_ids = read_integers(attributes, "nodes_nodeids");
  if (rows.node_ids.empty())
    throw Error(ErrorCode::invalid, "attribute 'nodes_nodeids' has no elements");
  const std::size_t count = rows.node_ids.size();
  if (count > INT32_MAX) throw Error(ErrorCode::invalid, format("there are {} nodes", count));
  const auto read_list = [&](std::string_view name) {
    std::vector<std::int64_t> list = read_integers(attributes, name);
    check_same_length(name, list.size(), count);
    return list;
  };
  rows.tree_ids = read_list("nodes_treeids");
  rows.features = read_list("nodes_featureids");
  rows.true_ids = read_list("nodes_truenodeids");
  rows.false_ids = read_list("nodes_falsenodeids");
  rows.values = read_listed_numbers(attributes, "nodes_values");
  check_same_length("nodes_values", rows.values.size(), count);
  rows.modes = attributes.find_strings("nodes_modes").value_or(std::vector<std::string>());
  check_same_length("nodes_modes", rows.modes.size(), count);
  rows.missing_tracks_true = read_integers(attributes, "nodes_missing_value_tracks_true");
  if (!rows.missing_tracks_true.empty()) {
    check_same_length("nodes_missing_value_tracks_true", rows.missing_tracks_true.size(), count);
  }
  const std::size_t rates = read_listed_numbers(attributes, "nodes_hitrates").size();
  if (rates != 0) check_same_length("nodes_hitrates", rates, count);

  for (std::size_t i = 0; i < count; ++i)
    rows.keys.push_back({rows.tree_ids[i], rows.node_ids[i], i});
  if (!std::is_sorted(rows.keys.begin(), rows.keys.end()))
    std::sort(rows.keys.begin(), rows.keys.end());
  const auto twice = std::adjacent_find(rows.keys.begin(), rows.keys.end(),
                                        [](const RowKey& a, const RowKey& b) { return !(a < b); });
  if (twice != rows.keys.end()) {
    throw Error(ErrorCode::invalid,
                format("node {} of tree {} is given twice", twice->node, twice->tree));
  }
  return rows;
}

/// Finds rows by their ids. Ids mostly increase by one within a tree, and consecutive lookups
/// mostly concern the same tree, so a binary search is rarely needed.
class RowFinder {
 public:
  explicit RowFinder(const std::vector<RowKey>& keys) : keys_(keys) {}

  /// Throws ErrorCode::invalid when the node does not exist; `who` says what refers to it.
  std::size_t find(std::int64_t tree, std::int64_t node, std::string_view who) {
    if (begin_ == end_ || keys_[begin_].tree != tree) find_tree(tree);
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto last = keys_.begin() + static_cast<std::ptrdiff_t>(end_);
    const RowKey wanted = {tree, node};
    const std::uint64_t guess =
        first == last ? 0
                      : static_cast<std::uint64_t>(node) - static_cast<std::uint64_t>(first->node);
    if (guess < end_ - begin_ && keys_[begin_ + guess].node == node)
      return keys_[begin_ + guess].row;
    const auto found = std::lower_bound(first, last, wanted);
    if (found == last || wanted < *found) {
      throw Error(ErrorCode::invalid,
                  format("{} of tree {} refers to node {}, which does not exist", who, tree, node));
    }
    return found->row;
  }

 private:
  void find_tree(std::int64_t tree) {
    const auto is_before = [](const RowKey& key, std::int64_t id) { return key.tree < id; };
    const auto is_behind = [](std::int64_t id, const RowKey& key) { return id < key.tree; };
    const auto first = std::lower_bound(keys_.begin(), keys_.end(), tree, is_before);
    const auto last = std::upper_bound(first, keys_.end(), tree, is_behind);
    begin_ = static_cast<std::size_t>(first - keys_.begin());
    end_ = static_cast<std::size_t>(last - keys_.begin());
  }

  const std::vector<RowKey>& keys_;
  std::size_t begin_ = 0;  ///< the rows of the tree that was looked up last
  std::size_t end_ = 0;
};

/// Creates nodes and empty leaves; returns where each row went.
std::vector<TreeLink> place_rows(const NodeRows& rows, DecisionTrees& trees,
                                 std::vector<std::size_t>& row_of_node) {
  constexpr std::string_view modes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  constexpr std::size_t leaf = 6;
  std::vector<TreeLink> links;
  std::int32_t leaves = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t mode = find_choice("nodes_modes", rows.modes[i], modes);
    if (mode == leaf) {
      links.push_back({leaves++, true});
      continue;
    }
    links.push_back({static_cast<std::int32_t>(trees.nodes.size()), false});
    row_of_node.push_back(i);
    use_feature(trees, rows.features[i]);
    trees.nodes.push_back({.threshold = rows.values[i],
                           .feature = rows.features[i],
                           .comparison = static_cast<TreeComparison>(mode),
                           .takes_true_when_missing = !rows.missing_tracks_true.empty() &&
                                                      rows.missing_tracks_true[i] != 0});
  }
  trees.vote_begins.assign(static_cast<std::size_t>(leaves) + 1, 0);
  return links;
}

void connect_nodes(const NodeRows& rows, const std::vector<TreeLink>& links,
                   const std::vector<std::size_t>& row_of_node, DecisionTrees& trees) {
  std::vector<bool> has_parent(rows.size());
  RowFinder finder(rows.keys);
  for (std::size_t i = 0; i < trees.nodes.size(); ++i) {
    const std::size_t row = row_of_node[i];
    const std::int64_t tree = rows.tree_ids[row];
    const std::size_t on_true = finder.find(tree, rows.true_ids[row], "the true branch");
    const std::size_t on_false = finder.find(tree, rows.false_ids[row], "the false branch");
    trees.nodes[i].on_true = links[on_true];
    trees.nodes[i].on_false = links[on_false];
    has_parent[on_true] = true;
    has_parent[on_false] = true;
  }
  if (const std::int64_t node = find_cycle(trees); node >= 0) {
    const std::size_t row = row_of_node[static_cast<std::size_t>(node)];
    throw Error(ErrorCode::invalid,
                format("the branches of tree {} form a cycle, at node {} or before it",
                       rows.tree_ids[row], rows.node_ids[row]));
  }
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < rows.size();) {
    const std::int64_t tree = rows.keys[i].tree;
    std::size_t root = rows.size();
    for (; i < rows.size() && rows.keys[i].tree == tree; ++i) {
      if (!has_parent[rows.keys[i].row]) root = std::min(root, rows.keys[i].row);
    }
    roots.push_back(root);
  }
  std::sort(roots.begin(), roots.end());
  for (const std::size_t row : roots) trees.roots.push_back(links[row]);
}

/// Sorts votes by leaf, keeping the file's order within a leaf. Votes of inner nodes, which some
/// exporters write, are ignored.
void read_votes(AttributeReader& attributes, std::string_view votes, const NodeRows& rows,
                const std::vector<TreeLink>& links, DecisionTrees& trees) {
  const auto name = [&](std::string_view part) { return format("{}_{}", votes, part); };
  const std::vector<std::int64_t> tree_ids = read_integers(attributes, name("treeids"));
  const std::vector<std::int64_t> node_ids = read_integers(attributes, name("nodeids"));
  const std::vector<std::int64_t> targets = read_integers(attributes, name("ids"));
  const std::vector<double> weights = read_listed_numbers(attributes, name("weights"));
  check_list_size(name("nodeids"), node_ids.size(), tree_ids.size(), "one per vote");
  check_list_size(name("ids"), targets.size(), tree_ids.size(), "one per vote");
  check_list_size(name("weights"), weights.size(), tree_ids.size(), "one per vote");

  std::vector<TreeLink> voters;
  RowFinder finder(rows.keys);
  for (std::size_t i = 0; i < tree_ids.size(); ++i) {
    voters.push_back(links[finder.find(tree_ids[i], node_ids[i], "a vote")]);
    if (voters[i].is_leaf) ++trees.vote_begins[static_cast<std::size_t>(voters[i].index) + 1];
  }
  for (std::size_t i = 1; i < trees.vote_begins.size(); ++i)
    trees.vote_begins[i] += trees.vote_begins[i - 1];
  std::vector<std::int64_t> next = trees.vote_begins;
  trees.votes.resize(static_cast<std::size_t>(trees.vote_begins.back()));
  for (std::size_t i = 0; i < voters.size(); ++i) {
    if (!voters[i].is_leaf) continue;
    const std::int64_t position = next[static_cast<std::size_t>(voters[i].index)]++;
    trees.votes[static_cast<std::size_t>(position)] = {targets[i], weights[i]};
  }
}

}  // namespace

DecisionTrees read_listed_trees(AttributeReader& attributes, std::string_view votes) {
  const NodeRows rows = read_rows_of_nodes(attributes);
  DecisionTrees trees;
  std::vector<std::size_t> row_of_node;
  const std::vector<TreeLink> links = place_rows(rows, trees, row_of_node);
  connect_nodes(rows, links, row_of_node, trees);
  read_votes(attributes, votes, rows, links, trees);
  return trees;
}

}  // namespace ortool
