// Whether an attribute says what holds without it anyway.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Whether the node's `attribute` has the value that the operator, in the version that the node's
/// graph imports, gives it when it is left out. False for operators that the catalog does not hold.
bool has_default_value(const Node& node, const Attribute& attribute);

}  // namespace ortool
