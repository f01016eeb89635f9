// Pairs stored tensors by votes of matched nodes first, then by name, then by content.
#include "libcore/graph/diff/compare_weights.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "libcore/graph/diff/node_groups.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool::diff {
void WeightComparison::add_graph(std::size_t side, const Graph& graph, const std::string& place) {
  for (const Value* value : graph.values()) {
    if (value->captured() != nullptr) continue;
    if (value->has_default() || is_stored(*value)) {
      stored_[side].push_back({value, place});
    }
  }
}

void WeightComparison::add_nodes(const Node& before, const Node& after) {
  std::vector<const Value*> read[2];
  const Node* nodes[2] = {&before, &after};
  for (std::size_t side = 0; side < 2; ++side) {
    const Node& node = *nodes[side];
    for (std::int64_t i = 0; i < node.input_count() + node.implicit_input_count(); ++i) {
      const Value* value =
          i < node.input_count() ? node.input(i) : node.implicit_input(i - node.input_count());
      const bool is_weight = value != nullptr && is_stored(*value);
      if (is_weight || !commutes(node, options_)) {
        read[side].push_back(is_weight ? &outermost(*value) : nullptr);
      }
    }
  }
  for (std::size_t i = 0; i < std::min(read[0].size(), read[1].size()); ++i) {
    if (read[0][i] != nullptr && read[1][i] != nullptr) votes_.emplace_back(read[0][i], read[1][i]);
  }
}

void WeightComparison::pair(const Value& before, const Value& after) {
  if (partner_.contains(&before) || partner_.contains(&after)) return;
  partner_.emplace(&before, &after);
  partner_.emplace(&after, &before);
}

bool WeightComparison::is_same(const Value& before, const Value& after) const {
  const StoredTensor x = tensor_of(before);
  const StoredTensor y = tensor_of(after);
  if (!options_.reads_weights) return x.type == y.type && x.shape == y.shape;
  return is_same_tensor(*x.content, *y.content, options_.stop);
}

std::vector<const Value*> WeightComparison::open_values(std::size_t side) const {
  std::vector<const Value*> values;
  for (const Stored& stored : stored_[side]) {
    if (!partner_.contains(stored.value)) values.push_back(stored.value);
  }
  return values;
}

void WeightComparison::pair_by_names() {
  std::unordered_map<std::string_view, const Value*> by_name;
  for (const Value* value : open_values(0)) by_name.emplace(value->name(), value);
  for (const Value* value : open_values(1)) {
    const auto found = by_name.find(value->name());
    if (found != by_name.end()) pair(*found->second, *value);
  }
}

void WeightComparison::pair_by_content() {
  std::unordered_multimap<std::uint64_t, const Value*> by_content;
  for (const Value* value : open_values(0)) {
    by_content.emplace(hasher_.of_tensor(tensor_of(*value), HashScope::full), value);
  }
  for (const Value* value : open_values(1)) {
    const auto found = by_content.find(hasher_.of_tensor(tensor_of(*value), HashScope::full));
    if (found == by_content.end()) continue;
    pair(*found->second, *value);
    by_content.erase(found);
  }
}

void WeightComparison::compare(ModelDiff& result) {
  const auto hash = [&](const Value& value) {
    return hasher_.of_tensor(tensor_of(value), HashScope::full);
  };
  for (const Stored& stored : stored_[0]) {
    const Value* other = matching_.partner(*stored.value);
    const bool has_defaults = other != nullptr && stored.value->has_default();
    if (has_defaults && other->has_default()) pair(*stored.value, *other);
  }
  for (const auto& [before, after] : votes_) {
    if (hash(*before) == hash(*after)) pair(*before, *after);
  }
  for (const auto& [before, after] : votes_) pair(*before, *after);
  // A tensor shared by several nodes may have been split; those pairs are compared too.
  std::map<std::pair<const Value*, const Value*>, bool> checked;
  std::vector<std::pair<const Value*, const Value*>> shared;
  std::unordered_set<const Value*> is_accounted;
  for (const auto& [before, after] : votes_) {
    const auto partner = partner_.find(before);
    if (partner != partner_.end() && partner->second == after) continue;
    const auto [place, is_new] = checked.try_emplace({before, after}, false);
    if (!is_new) continue;
    shared.emplace_back(before, after);
  }
  for (const auto& [before, after] : votes_) {
    is_accounted.insert(before);
    is_accounted.insert(after);
  }
  pair_by_names();
  pair_by_content();
  const auto add_change = [&](const Value& before, const Value& after, const std::string& place) {
    ChangedWeight change{&before, &after, place, std::nullopt};
    if (options_.reads_weights) {
      change.delta = delta_of(*tensor_of(before).content, *tensor_of(after).content, options_.stop);
    }
    result.weights.push_back(std::move(change));
  };
  for (const Stored& stored : stored_[0]) {
    const auto partner = partner_.find(stored.value);
    if (partner == partner_.end()) {
      if (!is_accounted.contains(stored.value)) {
        result.weights.push_back({stored.value, nullptr, stored.place, std::nullopt});
      }
      continue;
    }
    const Value& after = *partner->second;
    if (!is_same(*stored.value, after)) {
      add_change(*stored.value, after, stored.place);
    } else {
      ++result.same_weights;
    }
    const bool is_input = stored.value->is_graph_input();
    if (!is_input && stored.value->name() != after.name()) ++result.renamed_inner_values;
  }
  for (const auto& [before, after] : shared) {
    if (!is_same(*before, *after)) add_change(*before, *after, "");
  }
  for (const Stored& stored : stored_[1]) {
    if (!partner_.contains(stored.value) && !is_accounted.contains(stored.value)) {
      result.weights.push_back({nullptr, stored.value, stored.place, std::nullopt});
    }
  }
}

}  // namespace ortool::diff
