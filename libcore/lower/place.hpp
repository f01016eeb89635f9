// Deciding which provider computes each node.
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

/// A group of nodes and the provider that computes it; null for a node of control flow, which the
/// runtime itself takes.
struct PlacedGroup {
  NodeView view;
  const Provider* provider;
  std::vector<std::string> reasons;  ///< why each preferred provider did not take the first node
};

/// The groups of a graph and of every body inside it, by graph, each in execution order: by the
/// position of their last node.
using PlacedGraphs = std::unordered_map<const Graph*, std::vector<PlacedGroup>>;

/// The name of the provider that shall take a node, or nothing.
using PinnedProvider = std::function<std::string(const Node&)>;

/// Walks the providers in order of preference; each takes what it claims of the nodes still free,
/// node by node where `fuse` is false. A group with a node that `pinned` (may be null) gives to
/// another of the providers is left to that one first, and taken only where it does not want it.
/// Throws ErrorCode::unsupported listing every node of every
/// graph that no provider takes; with `strict`, ErrorCode::provider_unavailable when the first
/// provider does not take all.
PlacedGraphs place(const Graph& graph, std::span<const std::shared_ptr<const Provider>> providers,
                   bool strict, bool fuse, const PinnedProvider& pinned = nullptr);

}  // namespace ortool
