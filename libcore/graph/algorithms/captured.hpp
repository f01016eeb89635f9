// Captured values by the value they stand for, which stays when a capture goes with its last use.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// What a captured value stands for, however many graphs it was handed through: a value that is no
/// capture. Other values stand for themselves.
Value& captured_root(Value& value);

/// `outer`, a value of `graph` or of one around it, as seen inside `graph`: captured graph by graph
/// where need be.
Value& seen_in(Graph& graph, Value& outer);

}  // namespace ortool
