// Nodes in a row that one kernel computes.
#pragma once

#include <unordered_set>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// `first` with the nodes behind it that `absorbs(group, next)` says one kernel computes too. Each
/// is the only reader of the only used output of the one before it, and in no other group;
/// `absorbed` gets them.
std::vector<const Node*> gather_group(const Node& first, std::unordered_set<const Node*>& absorbed,
                                      FunctionRef<bool(const NodeView&, const Node&)> absorbs);

}  // namespace ortool
