// Reader for the tree format of version 5: separate nodes and leaves, with branches given by index.
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"

namespace ortool {

/// Reads the attributes `nodes_…`, `leaf_…`, `tree_roots` and `membership_values`. Throws
/// ErrorCode::invalid for lists of different lengths, indices out of range, unknown modes and
/// cycles.
DecisionTrees read_indexed_trees(AttributeReader& attributes);

}  // namespace ortool
