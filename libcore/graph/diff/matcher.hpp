// GraphMatcher: matches the nodes and values of two graphs independently of their names.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/graph/diff.hpp"
#include "libcore/graph/diff/matching.hpp"
#include "libcore/graph/diff/node_hash.hpp"
#include "libcore/graph/node.hpp"

namespace ortool::diff {

/// Matches two graphs whose inputs and outputs have been paired. The matching grows forward (same
/// operator on matched inputs) and backward (producers of matched inputs), first for nodes that are
/// equal in everything, then by names, then for those that differ in attributes and weights. Linear
/// in the number of edges, without recursion.
class GraphMatcher {
 public:
  using ValuePairs = std::vector<std::pair<const Value*, const Value*>>;

  /// `outputs`: the pairs of values that are outputs of the two graphs.
  GraphMatcher(const Graph& before, const Graph& after, NodeHasher& hasher, Matching& matching,
               ValuePairs outputs, const DiffOptions& options);

  void match();

 private:
  using Nodes = std::vector<const Node*>;
  struct Side {
    const Graph* graph;
    Nodes nodes;  ///< in order, without those that only hold a tensor
    std::unordered_map<const Value*, std::uint64_t> output_hash;
    std::unordered_map<const Node*, std::uint64_t> consumer_hash;
    std::unordered_map<const Node*, std::int64_t> waits_for;
  };
  struct Group {
    Nodes of[2];
  };
  using Groups = std::unordered_map<std::uint64_t, Group>;

  void collect(Side& side) const;
  void hash_consumers(Side& side) const;
  std::optional<std::uint64_t> slot_token(const Value* value, HashScope scope) const;
  std::uint64_t local_hash(const Node& node, HashScope scope) const;
  std::optional<std::uint64_t> forward_key(const Node& node, HashScope scope) const;
  std::uint64_t replaced_key(const Node& node) const;
  bool can_pair(const Node& before, const Node& after, HashScope scope) const;
  void pair(const Node& before, const Node& after);
  void grow(HashScope scope, bool may_use_order);
  void start_forward(std::size_t side, HashScope scope);
  void pair_consumer(std::size_t side, const Node& node, HashScope scope);
  void notify_consumers(std::size_t side, const Value& value, HashScope scope);
  void go_backward(const Node& before, const Node& after, HashScope scope);
  void match_producers(const Value* before, const Value* after, HashScope scope);
  void split_group(Group& group, bool may_use_order);
  void match_by_names(HashScope scope);
  bool match_by_surroundings(HashScope scope, int rounds);
  std::unordered_map<const Node*, std::uint64_t> surroundings(const Side& side, HashScope scope,
                                                              int rounds) const;
  Nodes open_nodes(const Side& side) const;

  NodeHasher& hasher_;
  Matching& matching_;
  const ValuePairs outputs_;
  const DiffOptions& options_;
  Side sides_[2];
  Groups groups_;
  std::deque<std::uint64_t> ready_;
  bool may_replace_ = false;
  std::deque<std::uint64_t> ready_replaced_;
  std::vector<std::pair<const Node*, const Node*>> fresh_;  ///< pairs whose consumers await notice
  std::vector<std::pair<const Node*, const Node*>> pairs_;
};

}  // namespace ortool::diff
