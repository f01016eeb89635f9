// Shape inference of a single node from its inputs' types.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Sets the types of the node's outputs as they follow from its inputs' types and constants;
/// outputs without inferred type keep theirs. The node must have passed check_node and have no
/// subgraphs. Throws ErrorCode::invalid for incompatible inputs.
void infer_node(Node& node);

}  // namespace ortool
