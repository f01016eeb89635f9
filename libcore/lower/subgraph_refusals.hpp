// Subgraph refusals: why providers of whole subgraphs refused nodes, as the file has them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "libcore/lower/place.hpp"

namespace ortool {

/// Reasons by provider and node, for nodes that lowering has changed since.
class SubgraphRefusals {
 public:
  void add(std::string_view provider, const Node& node, const std::string& reason);
  /// Empty: none was recorded of the nodes that `node` was made of.
  std::string find(std::string_view provider, const Node& node) const;

 private:
  std::unordered_map<std::string, std::string> reasons_;
};

/// place(), with these reasons instead of those of claims().
PlacedGraphs place(const Graph& graph, std::span<const std::shared_ptr<const Provider>> providers,
                   bool strict, bool fuse, const PinnedProvider& pinned,
                   const SubgraphRefusals& refusals);

}  // namespace ortool
