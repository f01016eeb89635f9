// Schema validation of nodes, which each node must pass before any other code reads it.
#pragma once

#include "libcore/graph/node.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Checks arity; names, kinds and values of attributes; and the input types as far as they are
/// known, both against the schema and, within one type parameter, against each other. Throws
/// ErrorCode::invalid naming the node, or ErrorCode::unsupported when the catalog lacks the
/// operator or version. No other code may read a node before it has passed this check.
void check_node(const Node& node);

/// Whether arity, attributes and types of the node are those of a version of an operator, which
/// need not be its own.
bool fits_version(const Node& node, const OpVersion& version);

}  // namespace ortool
