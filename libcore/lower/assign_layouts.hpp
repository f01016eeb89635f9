// Layout assignment: chooses tensor layouts (nchw, nchwc) and inserts explicit reorders.
#pragma once

#include <vector>

#include "libcore/lower/place.hpp"

namespace ortool {

/// Chooses among the Provider::layouts of each group of `graph` such that kernels and reorders
/// together take the least time, as far as a local search finds it. Sets the layouts of the groups'
/// views, and inserts `ortool.Reorder` nodes, computed by `host`, where a consumer needs another
/// layout than the producer writes: in the graph, and in `groups` (in execution order) before the
/// first such consumer. Graph inputs and outputs, constants and captured values keep the plain
/// layout. A value in blocked16 that its group can write in bfloat16, that all readers can read in
/// it, and that one of them rounds to it, is stored in bfloat16.
void assign_layouts(Graph& graph, std::vector<PlacedGroup>& groups, const Provider& host);

/// The same for `main` and all bodies inside it.
void assign_layouts(Graph& main, PlacedGraphs& placed, const Provider& host);

}  // namespace ortool
