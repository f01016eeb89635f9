// Kept float: nodes that compute in float32 whatever the precision of their session.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Whether a node that could be computed in 16 bits stays in float32; may be null: none does. A
/// provider asks for such nodes only.
using KeepsFloat = std::function<bool(const Node&)>;

/// Keeps nodes that have one of the operator types, and those one of whose names in the file
/// matches a glob.
KeepsFloat keep_matching(std::vector<std::string> globs, std::vector<std::string> op_types);

}  // namespace ortool
