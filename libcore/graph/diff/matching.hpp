// Matching: pairs of nodes and values that correspond in two graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "libcore/graph/node.hpp"

namespace ortool::diff {

/// The pairs found so far, over all graphs of two models.
class Matching {
 public:
  void pair(const Node& before, const Node& after);
  void pair(const Value& before, const Value& after);
  const Node* partner(const Node& node) const;
  const Value* partner(const Value& value) const;
  /// A number that both values of a pair have in common; nothing for an unmatched value.
  std::optional<std::uint64_t> token(const Value& value) const;

 private:
  struct Entry {
    const Value* partner;
    std::uint64_t token;
  };
  std::unordered_map<const Node*, const Node*> nodes_;
  std::unordered_map<const Value*, Entry> values_;
  std::uint64_t next_token_ = 1;
};

}  // namespace ortool::diff
