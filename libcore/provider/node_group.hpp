// Node group: a chain of nodes that one kernel computes.
#pragma once

#include <unordered_set>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// `first` with the following nodes that one kernel computes with it, according to `absorbs(group,
/// next)`. Each is the only consumer of the only used output of its predecessor, and in no other
/// group; they are added to `absorbed`.
std::vector<const Node*> gather_group(const Node& first, std::unordered_set<const Node*>& absorbed,
                                      FunctionRef<bool(const NodeView&, const Node&)> absorbs);

}  // namespace ortool
