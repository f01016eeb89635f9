// Graph verifier: checks the invariants that every graph must satisfy.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Checks `graph` and every nested graph: node order links and counts, use lists in both
/// directions, one producer for each value, definition before use, names, owners and captures.
/// Throws ErrorCode::invalid, "graph.verify", naming the graph and the value or node. Linear in the
/// size of the graph.
void verify(const Graph& graph);

}  // namespace ortool
