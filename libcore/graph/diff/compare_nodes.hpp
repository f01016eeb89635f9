// Differences between two matched nodes.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/diff.hpp"
#include "libcore/graph/diff/matching.hpp"
#include "libcore/graph/diff/node_hash.hpp"

namespace ortool::diff {

/// A short form of an attribute's value: "[1, 1]", "'same'", "tensor float32[3]".
std::string attribute_text(const Attribute& attribute);

/// Whether both values are equal; graphs are compared by number only.
bool is_same_attribute(const Attribute& before, const Attribute& after, bool reads_weights);

/// Compares operator, attributes and inputs. An input whose producer was added or removed is not
/// reported here, and neither is a replaced stored tensor.
std::vector<FieldChange> compare_nodes(const Node& before, const Node& after,
                                       const Matching& matching, const DiffOptions& options);

/// Whether `after` is the match of `before`, or both producers are unmatched (added or removed).
bool is_same_source(const Value* before, const Value* after, const Matching& matching);

}  // namespace ortool::diff
