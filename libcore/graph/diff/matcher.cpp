// Graph matching that grows from already matched nodes.
#include "libcore/graph/diff/matcher.hpp"

#include <algorithm>
#include <string_view>

#include "libcore/graph/diff/node_groups.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool::diff {
namespace {

/// Calls `body(value before, value after)` for inputs at the same position.
template <typename Body>
void each_input_pair(const Node& before, const Node& after, Body body) {
  for (std::int64_t i = 0; i < std::min(before.input_count(), after.input_count()); ++i) {
    body(before.input(i), after.input(i));
  }
  const std::int64_t implicit =
      std::min(before.implicit_input_count(), after.implicit_input_count());
  for (std::int64_t i = 0; i < implicit; ++i) {
    body(before.implicit_input(i), after.implicit_input(i));
  }
}

}  // namespace

GraphMatcher::GraphMatcher(const Graph& before, const Graph& after, NodeHasher& hasher,
                           Matching& matching, ValuePairs outputs, const DiffOptions& options)
    : hasher_(hasher), matching_(matching), outputs_(std::move(outputs)), options_(options) {
  sides_[0].graph = &before;
  sides_[1].graph = &after;
  for (Side& side : sides_) {
    collect(side);
    for (const Value* output : side.graph->outputs()) side.output_hash.emplace(output, 0);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    sides_[0].output_hash[outputs_[i].first] += Mixer(i).add(1).value();
    sides_[1].output_hash[outputs_[i].second] += Mixer(i).add(1).value();
  }
  for (Side& side : sides_) hash_consumers(side);
}

void GraphMatcher::collect(Side& side) const {
  for (const Node& node : side.graph->nodes()) {
    if (!is_constant_node(node)) side.nodes.push_back(&node);
  }
}

/// A token that is equal for matched values, for equal tensors, and for omitted inputs.
std::optional<std::uint64_t> GraphMatcher::slot_token(const Value* value, HashScope scope) const {
  if (value == nullptr) return 2;
  const auto stored = stored_tensor(*value);
  if (stored) return Mixer(3).add(hasher_.of_tensor(*stored, scope)).value();
  return matching_.token(outermost(*value));
}

std::uint64_t GraphMatcher::local_hash(const Node& node, HashScope scope) const {
  Mixer mixer(hasher_.of_label(node, scope));
  if (scope == HashScope::operator_) return mixer.value();
  const bool has_order = !commutes(node, options_);
  std::uint64_t sum = 0;
  each_input(node, [&](const Value* value, std::int64_t position) {
    const auto stored = value != nullptr ? stored_tensor(*value) : std::nullopt;
    if (!stored) return;
    const auto place = static_cast<std::uint64_t>(has_order ? position : 0);
    sum += Mixer(place).add(hasher_.of_tensor(*stored, scope)).value();
  });
  return mixer.add(sum).value();
}

/// Nothing while an input is unmatched.
std::optional<std::uint64_t> GraphMatcher::forward_key(const Node& node, HashScope scope) const {
  const bool has_order = !commutes(node, options_);
  std::uint64_t sum = 0;
  bool is_known = true;
  each_input(node, [&](const Value* value, std::int64_t position) {
    const auto token = slot_token(value, scope);
    is_known = is_known && token;
    if (!token || (scope == HashScope::operator_ && value != nullptr && is_stored(*value))) return;
    sum += Mixer(static_cast<std::uint64_t>(has_order ? position : 0)).add(*token).value();
  });
  if (!is_known) return std::nullopt;
  return Mixer(hasher_.of_label(node, scope)).add(sum).value();
}

/// A key of what the node reads and which operators consume it: equal for a replaced node.
std::uint64_t GraphMatcher::replaced_key(const Node& node) const {
  std::uint64_t sum = 0;
  each_input(node, [&](const Value* value, std::int64_t position) {
    if (value == nullptr || is_stored(*value)) return;
    const auto token = matching_.token(outermost(*value));
    sum += Mixer(static_cast<std::uint64_t>(position)).add(token.value_or(0)).value();
  });
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) == nullptr) continue;
    for (const Use& use : node.output(i)->uses()) {
      sum += use.node != nullptr ? hasher_.of_label(*use.node, HashScope::operator_) : 5;
    }
  }
  return Mixer(11).add(sum).value();
}

/// Hashes each node by the consumers of its outputs, from the last node to the first.
void GraphMatcher::hash_consumers(Side& side) const {
  side.consumer_hash.reserve(side.nodes.size());
  for (std::size_t i = side.nodes.size(); i-- > 0;) {
    const Node& node = *side.nodes[i];
    std::uint64_t sum = 0;
    for (std::int64_t out = 0; out < node.output_count(); ++out) {
      if (node.output(out) == nullptr) continue;
      for (const Use& use : node.output(out)->uses()) {
        Mixer mixer(static_cast<std::uint64_t>(out));
        if (use.kind == Use::Kind::graph_output) {
          mixer.add(side.output_hash.at(node.output(out)));
        } else {
          const auto consumer = side.consumer_hash.find(use.node);
          mixer.add(consumer == side.consumer_hash.end() ? 0 : consumer->second);
          mixer.add(static_cast<std::uint64_t>(use.kind));
          mixer.add(static_cast<std::uint64_t>(commutes(*use.node, options_) ? 0 : use.index));
        }
        sum += mixer.value();
      }
    }
    side.consumer_hash.emplace(&node, Mixer(local_hash(node, HashScope::full)).add(sum).value());
  }
}

bool GraphMatcher::can_pair(const Node& before, const Node& after, HashScope scope) const {
  return matching_.partner(before) == nullptr && matching_.partner(after) == nullptr &&
         local_hash(before, scope) == local_hash(after, scope);
}

void GraphMatcher::pair(const Node& before, const Node& after) {
  matching_.pair(before, after);
  for (std::int64_t i = 0; i < std::min(before.output_count(), after.output_count()); ++i) {
    if (before.output(i) != nullptr && after.output(i) != nullptr) {
      matching_.pair(*before.output(i), *after.output(i));
    }
  }
  fresh_.emplace_back(&before, &after);
  pairs_.emplace_back(&before, &after);
  if (options_.stop != nullptr) options_.stop->poll();
}

GraphMatcher::Nodes GraphMatcher::open_nodes(const Side& side) const {
  Nodes nodes;
  for (const Node* node : side.nodes) {
    if (matching_.partner(*node) == nullptr) nodes.push_back(node);
  }
  return nodes;
}

void GraphMatcher::start_forward(std::size_t side, HashScope scope) {
  sides_[side].waits_for.clear();
  for (const Node* node : open_nodes(sides_[side])) {
    std::int64_t waits_for = 0;
    each_input(*node, [&](const Value* value, std::int64_t) {
      waits_for += slot_token(value, scope) ? 0 : 1;
    });
    sides_[side].waits_for[node] = waits_for + 1;
    pair_consumer(side, *node, scope);
  }
}

/// Decrements the node's count of unmatched inputs; at zero, it joins the group of its key.
void GraphMatcher::pair_consumer(std::size_t side, const Node& node, HashScope scope) {
  const auto waits_for = sides_[side].waits_for.find(&node);
  if (waits_for == sides_[side].waits_for.end() || --waits_for->second > 0) return;
  const auto key = forward_key(node, scope);
  if (!key) return;
  const auto join = [&](std::uint64_t group, std::deque<std::uint64_t>& ready) {
    Nodes& nodes = groups_[group].of[side];
    nodes.push_back(&node);
    if (nodes.size() == 1) ready.push_back(group);
  };
  join(*key, ready_);
  if (may_replace_) join(replaced_key(node), ready_replaced_);
}

void GraphMatcher::notify_consumers(std::size_t side, const Value& value, HashScope scope) {
  for (const Use& use : value.uses()) {
    if (use.kind != Use::Kind::graph_output) pair_consumer(side, *use.node, scope);
  }
}

void GraphMatcher::match_producers(const Value* before, const Value* after, HashScope scope) {
  if (before == nullptr || after == nullptr) return;
  const Node* made_before = before->producer();
  const Node* made_after = after->producer();
  if (made_before == nullptr || made_after == nullptr ||
      before->producer_index() != after->producer_index() || is_constant_node(*made_before) ||
      is_constant_node(*made_after) || !can_pair(*made_before, *made_after, scope)) {
    return;
  }
  pair(*made_before, *made_after);
}

void GraphMatcher::go_backward(const Node& before, const Node& after, HashScope scope) {
  each_input_pair(before, after, [&](const Value* value_before, const Value* value_after) {
    match_producers(value_before, value_after, scope);
  });
}

/// Pairs unique members of a group; among several, those with equal consumers and then those with
/// equal names.
void GraphMatcher::split_group(Group& group, bool may_use_order) {
  const auto drop_paired = [&] {
    for (Nodes& nodes : group.of) {
      std::erase_if(nodes, [&](const Node* node) { return matching_.partner(*node) != nullptr; });
    }
    return !group.of[0].empty() && !group.of[1].empty();
  };
  const auto pair_in_order = [&](const Bucket& bucket) {
    for (std::size_t i = 0; i < std::min(bucket.of[0].size(), bucket.of[1].size()); ++i) {
      pair(*bucket.of[0][i], *bucket.of[1][i]);
    }
  };
  const auto pair_by_names = [&](const Bucket& bucket) {
    const auto name_of_node = [](std::size_t side, const Node& node) {
      return node.has_name_of_its_own() ? Mixer().add(node.name()).value() : side;
    };
    for (const Bucket& same : buckets_by(bucket.of, name_of_node)) {
      if (same.of[0].size() == 1 && same.of[1].size() == 1) pair_in_order(same);
    }
  };
  const auto consumers = [&](std::size_t side, const Node& node) {
    return sides_[side].consumer_hash.at(&node);
  };
  if (!drop_paired()) return;
  if (group.of[0].size() == 1 && group.of[1].size() == 1) {
    pair(*group.of[0][0], *group.of[1][0]);
    drop_paired();
    return;
  }
  for (const Bucket& bucket : buckets_by(group.of, consumers)) {
    if (bucket.of[0].size() != bucket.of[1].size()) continue;
    pair_by_names(bucket);
    Group rest{{bucket.of[0], bucket.of[1]}};
    for (Nodes& nodes : rest.of) {
      std::erase_if(nodes, [&](const Node* node) { return matching_.partner(*node) != nullptr; });
    }
    pair_in_order(Bucket{{rest.of[0], rest.of[1]}});
  }
  if (!drop_paired()) return;
  pair_by_names(Bucket{{group.of[0], group.of[1]}});
  if (!drop_paired() || !may_use_order) return;
  pair_in_order(Bucket{{group.of[0], group.of[1]}});
  drop_paired();
}

void GraphMatcher::grow(HashScope scope, bool may_use_order) {
  groups_.clear();
  ready_.clear();
  ready_replaced_.clear();
  fresh_.clear();
  for (std::size_t side = 0; side < 2; ++side) start_forward(side, scope);
  std::size_t next_backward = 0;
  bool has_outputs = false;
  std::deque<std::uint64_t> ambiguous;
  while (true) {
    if (!fresh_.empty()) {
      const auto [before, after] = fresh_.back();
      fresh_.pop_back();
      const Node* made[2] = {before, after};
      const std::int64_t count = std::min(before->output_count(), after->output_count());
      for (std::size_t side = 0; side < 2; ++side) {
        for (std::int64_t i = 0; i < count; ++i) {
          if (before->output(i) == nullptr || after->output(i) == nullptr) continue;
          notify_consumers(side, *made[side]->output(i), scope);
        }
      }
    } else if (!ready_.empty()) {
      const std::uint64_t key = ready_.front();
      ready_.pop_front();
      Group& group = groups_[key];
      split_group(group, false);
      if (!group.of[0].empty() && !group.of[1].empty()) ambiguous.push_back(key);
    } else if (!has_outputs) {
      has_outputs = true;
      for (const auto& [before, after] : outputs_) match_producers(before, after, scope);
    } else if (next_backward < pairs_.size()) {
      const auto [before, after] = pairs_[next_backward++];
      go_backward(*before, *after, scope);
    } else if (may_use_order && !ambiguous.empty()) {
      split_group(groups_[ambiguous.front()], true);
      ambiguous.pop_front();
    } else if (!ready_replaced_.empty()) {
      split_group(groups_[ready_replaced_.front()], false);
      ready_replaced_.pop_front();
    } else {
      return;
    }
  }
}

void GraphMatcher::match_by_names(HashScope scope) {
  std::unordered_map<std::string_view, const Node*> by_name;
  for (const Node* node : open_nodes(sides_[0])) {
    if (node->has_name_of_its_own()) by_name.emplace(node->name(), node);
  }
  for (const Node* node : open_nodes(sides_[1])) {
    const auto found = by_name.find(node->name());
    if (node->has_name_of_its_own() && found != by_name.end() &&
        can_pair(*found->second, *node, scope)) {
      pair(*found->second, *node);
    }
  }
}

void GraphMatcher::match() {
  const auto is_done = [&] {
    return open_nodes(sides_[0]).empty() || open_nodes(sides_[1]).empty();
  };
  // Order decides among identical nodes only after everything else has failed.
  for (const HashScope scope : {HashScope::full, HashScope::soft, HashScope::operator_}) {
    if (scope != HashScope::full) match_by_names(scope);
    for (const bool may_use_order : {false, true}) {
      grow(scope, may_use_order);
      for (const int rounds : {4, 1, 0, -1}) {
        if (is_done()) return;
        if (scope == HashScope::operator_ && rounds < 0) continue;
        if (match_by_surroundings(scope, rounds)) grow(scope, may_use_order);
      }
    }
  }
  may_replace_ = true;
  grow(HashScope::operator_, true);
}

}  // namespace ortool::diff
