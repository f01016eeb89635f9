// Operator check: reports all operators of a model that nothing can run in one error.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Throws ErrorCode::unsupported, "node.operator.unknown", with a part for each node whose operator
/// or version is not in the catalog, including those in subgraphs. Operators for which
/// `is_decomposed` is true need not be there.
void check_operators_known(const Graph& graph, bool (*is_decomposed)(const Node& node));

}  // namespace ortool
