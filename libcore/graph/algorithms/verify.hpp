// The invariants that every graph keeps, checked from outside.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Checks `graph` and every graph inside it: links and counts of the order, use lists in both
/// directions, one source a value, values made before they are read, names, owners and captures.
/// Throws ErrorCode::invalid, "graph.verify", naming graph and value or node. Time grows as the
/// graph does.
void verify(const Graph& graph);

}  // namespace ortool
