// Matches nodes by hashes of their neighborhood, to find unique nodes from which a matching can
// grow.
#include "libcore/graph/diff/matcher.hpp"
#include "libcore/graph/diff/node_groups.hpp"

namespace ortool::diff {

/// Hashes each unmatched node with its matched neighbors, and unmatched ones up to `rounds` away.
std::unordered_map<const Node*, std::uint64_t> GraphMatcher::surroundings(const Side& side,
                                                                          HashScope scope,
                                                                          int rounds) const {
  std::unordered_map<const Node*, std::uint64_t> hashes;
  for (const Node* node : open_nodes(side)) {
    std::uint64_t sum = 0;
    each_input(*node, [&](const Value* value, std::int64_t position) {
      if (value == nullptr || is_stored(*value)) return;
      const auto token = matching_.token(outermost(*value));
      if (token) sum += Mixer(static_cast<std::uint64_t>(position)).add(*token).value();
    });
    for (std::int64_t i = 0; i < node->output_count(); ++i) {
      if (node->output(i) == nullptr) continue;
      for (const Use& use : node->output(i)->uses()) {
        const Value* made = use.node != nullptr ? use.node->output(0) : node->output(i);
        const auto token = made != nullptr ? matching_.token(*made) : std::nullopt;
        if (token) sum += Mixer(~static_cast<std::uint64_t>(use.index)).add(*token).value();
      }
    }
    hashes.emplace(node, Mixer(local_hash(*node, scope)).add(rounds < 0 ? 0 : sum).value());
  }
  for (int round = 0; round < rounds; ++round) {
    std::unordered_map<const Node*, std::uint64_t> next;
    for (const auto& [node, hash] : hashes) {
      std::uint64_t sum = 0;
      const auto add = [&](const Node* adjacent, std::uint64_t place) {
        const auto found = hashes.find(adjacent);
        if (found != hashes.end()) sum += Mixer(place).add(found->second).value();
      };
      each_input(*node, [&](const Value* value, std::int64_t position) {
        if (value != nullptr) add(value->producer(), static_cast<std::uint64_t>(position));
      });
      for (std::int64_t i = 0; i < node->output_count(); ++i) {
        if (node->output(i) == nullptr) continue;
        for (const Use& use : node->output(i)->uses()) {
          add(use.node, ~static_cast<std::uint64_t>(use.index));
        }
      }
      next.emplace(node, Mixer(hash).add(sum).value());
    }
    hashes = std::move(next);
  }
  return hashes;
}

bool GraphMatcher::match_by_surroundings(HashScope scope, int rounds) {
  const Nodes open[2] = {open_nodes(sides_[0]), open_nodes(sides_[1])};
  if (open[0].empty() || open[1].empty()) return false;
  const std::size_t pairs_before = pairs_.size();
  const std::unordered_map<const Node*, std::uint64_t> hashes[2] = {
      surroundings(sides_[0], scope, rounds), surroundings(sides_[1], scope, rounds)};
  const auto hash = [&](std::size_t side, const Node& node) { return hashes[side].at(&node); };
  for (const Bucket& bucket : buckets_by(open, hash)) {
    if (bucket.of[0].size() == 1 && bucket.of[1].size() == 1) {
      pair(*bucket.of[0][0], *bucket.of[1][0]);
    }
  }
  return pairs_.size() > pairs_before;
}

}  // namespace ortool::diff
