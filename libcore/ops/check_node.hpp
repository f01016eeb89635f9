// The gate every node passes before other code sees it.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Checks arity, attribute names, kinds and values, and the types of inputs as far as they are
/// known: each against the schema, and those of one type parameter against each other. Throws
/// ErrorCode::invalid naming the node; ErrorCode::unsupported when the catalog has no such operator
/// or version. Nothing else may look at a node before this has passed.
void check_node(const Node& node);

}  // namespace ortool
