// Trees as version 5 writes them: nodes and leaves apart, branches by position.
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"

namespace ortool {

/// Reads the attributes `nodes_…`, `leaf_…`, `tree_roots` and `membership_values`. Throws
/// ErrorCode::invalid for lists of different lengths, positions outside, unknown modes and cycles.
DecisionTrees read_indexed_trees(AttributeReader& attributes);

}  // namespace ortool
