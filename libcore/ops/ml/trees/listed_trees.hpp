// Trees as versions before 5 write them: rows with ids of tree and node, leaves among them.
#pragma once

#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/ml/trees/decision_trees.hpp"

namespace ortool {

/// Reads the attributes `nodes_…`, and `<votes>_treeids`, `…_nodeids`, `…_ids` and `…_weights`,
/// where `votes` is "class" or "target". The first node of a tree in the file's order that no
/// other leads to is its root. Throws ErrorCode::invalid for lists of different lengths, ids given
/// twice or not there, and cycles.
DecisionTrees read_listed_trees(AttributeReader& attributes, std::string_view votes);

}  // namespace ortool
