// Small graphs around Transposes with every permutation of up to four axes.
#pragma once

#include "libcore/graph/graph.hpp"
#include "tests/rules/small_graphs.hpp"

namespace ortool::test {

/// Two consecutive Transposes.
Graphs transposes();
/// A Transpose before a reduction along every set of axes.
Graphs transposed_reductions();
/// A Transpose and its inverse around axis-wise nodes.
Graphs transposed_nodes();
/// A Transpose before an ArgMax along every axis, with and without keepdims.
Graphs transposed_extremes();

}  // namespace ortool::test
