// Tests whether an attribute only restates its default value.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Whether the node's `attribute` equals the default that the operator's schema gives it, in the
/// version that the node's graph imports. False for operators that are not in the catalog.
bool has_default_value(const Node& node, const Attribute& attribute);

}  // namespace ortool
