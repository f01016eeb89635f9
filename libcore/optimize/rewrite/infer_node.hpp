// The shape rule of one node, by what its inputs' types say.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Gives the node's outputs the types that follow from its inputs' types and constants; outputs the
/// rule says nothing of keep what they have. The node has passed check_node and holds no graphs.
/// Throws ErrorCode::invalid for inputs that cannot go together.
void infer_node(Node& node);

}  // namespace ortool
