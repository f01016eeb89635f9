// Node predicates of sessions: control flow, reorders, plain attributes.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Whether all attributes are numbers, lists of them or strings, and none a reference.
bool has_plain_attributes(const Node& node);

/// Whether the runtime executes the node's bodies itself: If, Loop, Scan and SequenceMap, and the
/// generation operators of com.microsoft.
bool is_control_flow(const Node& node);

/// Whether the node changes a value's layout.
bool is_reorder(const Node& node);

}  // namespace ortool
