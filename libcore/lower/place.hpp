// Placement: assigns nodes to execution providers.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/provider/node_view.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// A group of nodes and the provider that computes it; null for control flow, which the runtime
/// executes itself.
struct PlacedGroup {
  NodeView view;
  const Provider* provider;
  std::vector<std::string> reasons;  ///< why each preferred provider refused the first node
};

/// The groups of a graph and of every body inside it, by graph, each in execution order: by the
/// position of their last node.
using PlacedGraphs = std::unordered_map<const Graph*, std::vector<PlacedGroup>>;

/// The name of the provider that a node is pinned to, or empty.
using PinnedProvider = std::function<std::string(const Node&)>;

/// Visits the providers in order of preference; each takes the unassigned nodes that it claims,
/// node by node if `fuse` is false. A group with a node that `pinned` (may be null) assigns to
/// another provider is offered to that one first, and taken only if it refuses. Throws
/// ErrorCode::unsupported listing every node of every graph that no provider takes; with `strict`,
/// ErrorCode::provider_unavailable when the first provider does not take all.
PlacedGraphs place(const Graph& graph, std::span<const std::shared_ptr<const Provider>> providers,
                   bool strict, bool fuse, const PinnedProvider& pinned = nullptr);

}  // namespace ortool
