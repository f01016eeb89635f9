// Reader for the tree format before version 5: rows with tree and node ids, leaves included.
#pragma once

#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"

namespace ortool {

/// Reads the attributes `nodes_…`, and `<votes>_treeids`, `…_nodeids`, `…_ids` and `…_weights`,
/// where `votes` is "class" or "target". The root of a tree is its first node in the file's order
/// that is not the target of a branch. Throws ErrorCode::invalid for lists of different lengths,
/// duplicate or missing ids, and cycles.
DecisionTrees read_listed_trees(AttributeReader& attributes, std::string_view votes);

}  // namespace ortool
