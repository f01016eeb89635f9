// Putting a graph's nodes into an order in which values are made before they are read.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Sorts the nodes of `graph` (not of its subgraphs), keeping their order wherever it is free.
/// Returns whether any node moved. Throws ErrorCode::invalid, "graph.cycle", naming nodes that wait
/// for each other. Time grows as nodes and edges, times the logarithm when nodes move.
bool sort_nodes(Graph& graph);

}  // namespace ortool
