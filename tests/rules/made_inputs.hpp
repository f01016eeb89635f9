// Inputs for the graph of a rule case, determined by its names and symbols.
#pragma once

#include "libcore/graph/graph.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool::test {

/// A tensor for each input, whose shape must be known except for symbols. Elements are
/// deterministic for the input's name; each symbol has its own size.
NamedValues make_inputs(const Graph& graph);

}  // namespace ortool::test
