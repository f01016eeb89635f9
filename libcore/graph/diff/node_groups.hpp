// Groups of nodes with equal keys, and iteration over inputs, for the graph matcher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libcore/graph/diff.hpp"
#include "libcore/graph/node.hpp"

namespace ortool::diff {

/// Whether the order of the node's inputs is irrelevant.
inline bool commutes(const Node& node, const DiffOptions& options) {
  return options.is_commutative && options.is_commutative(node);
}

/// Calls `body(value, position)` for explicit and implicit inputs.
template <typename Body>
void each_input(const Node& node, Body body) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) body(node.input(i), i);
  for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
    body(node.implicit_input(i), node.input_count() + i);
  }
}

struct Bucket {
  std::vector<const Node*> of[2];
};

/// Groups the nodes of both sides by key, in order of the keys' first occurrence.
template <typename Key>
std::vector<Bucket> buckets_by(const std::vector<const Node*> (&nodes)[2], Key key) {
  std::unordered_map<std::uint64_t, std::size_t> places;
  std::vector<Bucket> buckets;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const Node* node : nodes[side]) {
      const auto [place, is_new] = places.try_emplace(key(side, *node), buckets.size());
      if (is_new) buckets.emplace_back();
      buckets[place->second].of[side].push_back(node);
    }
  }
  return buckets;
}

}  // namespace ortool::diff
