// The operators of a model that nothing can run, told in one error.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Throws ErrorCode::unsupported, "node.operator.unknown", with a part for each node whose operator
/// or version the catalog lacks, those in subgraphs included.
void check_operators_known(const Graph& graph);

}  // namespace ortool
