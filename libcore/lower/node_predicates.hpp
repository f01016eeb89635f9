// Node predicates of sessions: control flow, reorders, plain attributes.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Whether all attributes are numbers, lists of them or strings, and none a reference.
bool has_plain_attributes(const Node& node);

/// Whether the node is an If, Loop, Scan or SequenceMap of ONNX's domain, whose bodies the runtime
/// executes itself.
bool is_control_flow(const Node& node);

/// Whether the node changes a value's layout.
bool is_reorder(const Node& node);

}  // namespace ortool
