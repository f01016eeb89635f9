// Captured values: finds the outer value of a capture, and captures values into nested graphs.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// The value that a capture stands for, through any number of nested graphs; other values are
/// returned as they are.
Value& captured_root(Value& value);
const Value& captured_root(const Value& value);

/// `outer`, a value of `graph` or of an enclosing graph, as seen inside `graph`; captured through
/// each level if necessary.
Value& seen_in(Graph& graph, Value& outer);

}  // namespace ortool
