// Inputs for a graph of a rule case: numbers that its names and symbols decide.
#pragma once

#include "libcore/graph/graph.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool::test {

/// A tensor for each input, whose shapes are known but for symbols: the same numbers for the same
/// name, a size of its own for each symbol.
NamedValues make_inputs(const Graph& graph);

}  // namespace ortool::test
