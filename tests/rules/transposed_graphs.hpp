// Small graphs around Transposes by every order of up to four axes.
#pragma once

#include "libcore/graph/graph.hpp"
#include "tests/rules/small_graphs.hpp"

namespace ortool::test {

/// Two in a row.
Graphs transposes();
/// One before a reduction along every set of axes.
Graphs transposed_reductions();
/// One and its inverse, around nodes that treat each axis on its own.
Graphs transposed_nodes();
/// One before an ArgMax along every axis, which stays as 1 or goes.
Graphs transposed_extremes();

}  // namespace ortool::test
