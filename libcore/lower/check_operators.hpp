// Operator check: reports all operators of a model that nothing can run in one error.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Throws ErrorCode::unsupported, "node.operator.unknown", with a part for each node whose operator
/// or version is not in the catalog, including those in subgraphs.
void check_operators_known(const Graph& graph);

}  // namespace ortool
