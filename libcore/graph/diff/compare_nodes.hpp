// What is different between two nodes that were matched.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/diff.hpp"
#include "libcore/graph/diff/matching.hpp"
#include "libcore/graph/diff/node_hash.hpp"

namespace ortool::diff {

/// A value of an attribute in short: "[1, 1]", "'same'", "tensor float32[3]".
std::string attribute_text(const Attribute& attribute);

/// Whether both hold the same; of graphs only how many there are.
bool is_same_attribute(const Attribute& before, const Attribute& after, bool reads_weights);

/// Operator, attributes and what is read. An input that comes from a node which was added or
/// removed is no change of its own, and neither is a stored tensor that became another one.
std::vector<FieldChange> compare_nodes(const Node& before, const Node& after,
                                       const Matching& matching, const DiffOptions& options);

/// Whether `after` is what became of `before`, or is so far as the nodes that make them are new or
/// gone.
bool is_same_source(const Value* before, const Value* after, const Matching& matching);

}  // namespace ortool::diff
