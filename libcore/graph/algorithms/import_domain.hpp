// Imports of domains for nodes that are added to a graph.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Lets nodes of `graph` be of `domain` at `version`: set in the outermost graph, which imports
/// belong to, in place of another version there.
void import_domain(Graph& graph, std::string_view domain, std::int64_t version);

}  // namespace ortool
