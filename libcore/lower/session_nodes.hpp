// Nodes that only sessions make.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Whether all attributes are numbers, lists of them or texts, and none a reference.
bool has_plain_attributes(const Node& node);

/// Whether the node brings a value into another layout.
bool is_reorder(const Node& node);

}  // namespace ortool
