// Matching: pairs of nodes and values that correspond in two graphs.
#include "libcore/graph/diff/matching.hpp"

namespace ortool::diff {

void Matching::pair(const Node& before, const Node& after) {
  nodes_.emplace(&before, &after);
  nodes_.emplace(&after, &before);
}

void Matching::pair(const Value& before, const Value& after) {
  if (values_.contains(&before) || values_.contains(&after)) return;
  values_.emplace(&before, Entry{&after, next_token_});
  values_.emplace(&after, Entry{&before, next_token_});
  ++next_token_;
}

const Node* Matching::partner(const Node& node) const {
  const auto found = nodes_.find(&node);
  return found == nodes_.end() ? nullptr : found->second;
}

const Value* Matching::partner(const Value& value) const {
  const auto found = values_.find(&value);
  return found == values_.end() ? nullptr : found->second.partner;
}

std::optional<std::uint64_t> Matching::token(const Value& value) const {
  const auto found = values_.find(&value);
  if (found == values_.end()) return std::nullopt;
  return found->second.token;
}

}  // namespace ortool::diff
