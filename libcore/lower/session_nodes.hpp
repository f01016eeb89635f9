// Nodes as sessions treat them: reorders, control flow.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Whether all attributes are numbers, lists of them or texts, and none a reference.
bool has_plain_attributes(const Node& node);

/// Whether the node is If, Loop, Scan or SequenceMap of ONNX's domain, whose bodies the runtime
/// itself runs.
bool is_control_flow(const Node& node);

/// Whether the node brings a value into another layout.
bool is_reorder(const Node& node);

}  // namespace ortool
