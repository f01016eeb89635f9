// Adds opset imports for nodes that are inserted into a graph.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Imports `domain` at `version` for nodes of `graph`: set in the outermost graph, which holds the
/// imports, replacing any other version.
void import_domain(Graph& graph, std::string_view domain, std::int64_t version);

}  // namespace ortool
