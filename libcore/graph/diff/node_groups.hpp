// What a matcher groups nodes by: their inputs, whether these have an order, and any key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libcore/graph/diff.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool::diff {

/// Whether the order of the node's inputs means nothing.
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

/// The nodes of both sides by a key, in the order in which keys come up first.
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
