// Deciding which provider computes each node.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/runtime/node_view.hpp"
#include "libcore/runtime/provider.hpp"

namespace ortool {

/// A group of nodes and the provider that computes it.
struct PlacedGroup {
  NodeView view;
  const Provider* provider;
  std::vector<std::string> reasons;  ///< why each preferred provider did not take the first node
};

/// Walks the providers in order of preference; each takes what it claims of the nodes still free.
/// Groups come in execution order: by the position of their last node. Throws
/// ErrorCode::unsupported listing every node that no provider takes; with `strict`,
/// ErrorCode::provider_unavailable when the first provider does not take all.
std::vector<PlacedGroup> place(const Graph& graph,
                               std::span<const std::shared_ptr<const Provider>> providers,
                               bool strict);

}  // namespace ortool
