// Pairing of stored tensors between two models, and the size of their changes.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "libcore/graph/diff.hpp"
#include "libcore/graph/diff/matching.hpp"
#include "libcore/graph/diff/node_hash.hpp"

namespace ortool::diff {

/// Pairs stored tensors by their use in matched nodes, then by name, then by content. Add all
/// graphs and all pairs of nodes first, then compare once.
class WeightComparison {
 public:
  WeightComparison(Matching& matching, NodeHasher& hasher, const DiffOptions& options)
      : matching_(matching), hasher_(hasher), options_(options) {}

  /// Adds the stored tensors of one graph; `side` 0 is before, 1 after.
  void add_graph(std::size_t side, const Graph& graph, const std::string& place);
  void add_nodes(const Node& before, const Node& after);
  void compare(ModelDiff& result);

 private:
  struct Stored {
    const Value* value;
    std::string place;
  };

  void pair(const Value& before, const Value& after);
  bool is_same(const Value& before, const Value& after) const;
  void pair_by_names();
  void pair_by_content();
  std::vector<const Value*> open_values(std::size_t side) const;

  Matching& matching_;
  NodeHasher& hasher_;
  const DiffOptions& options_;
  std::vector<Stored> stored_[2];
  std::vector<std::pair<const Value*, const Value*>> votes_;
  std::unordered_map<const Value*, const Value*> partner_;
};

}  // namespace ortool::diff
