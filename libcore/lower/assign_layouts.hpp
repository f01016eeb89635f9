// Choosing how values lie in memory, and making the steps between one layout and another explicit.
#pragma once

#include <vector>

#include "libcore/lower/place.hpp"

namespace ortool {

/// Chooses among the Provider::layouts of each group of `graph` so that kernels and reorders
/// together take the least time, as far as a search by single changes finds it. Sets the layouts of
/// the groups' views, and puts nodes `ortool.Reorder`, computed by `host`, where a reader wants
/// another layout than the maker gives: in the graph, and in `groups` (in execution order) before
/// the first such reader. Graph inputs and outputs, constants and what bodies capture stay plain.
void assign_layouts(Graph& graph, std::vector<PlacedGroup>& groups, const Provider& host);

/// The same for `main` and all bodies inside it.
void assign_layouts(Graph& main, PlacedGraphs& placed, const Provider& host);

}  // namespace ortool
