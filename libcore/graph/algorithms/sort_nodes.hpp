// Topological sort of a graph's nodes.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Sorts the nodes of `graph` (not of its subgraphs), preserving their order where possible.
/// Returns whether any node moved. Throws ErrorCode::invalid, "graph.cycle", naming nodes of the
/// cycle. Linear in nodes and edges, with a logarithmic factor when nodes move.
bool sort_nodes(Graph& graph);

}  // namespace ortool
