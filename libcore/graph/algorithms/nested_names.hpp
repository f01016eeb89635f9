// Names of values over nested graphs: ONNX's single static assignment holds across outer scopes.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Renames every value of a nested graph that has the name of a value of a graph around it: inputs
/// and outputs of bodies count by position, so that no reader outside sees a name of theirs. Names
/// of the main graph stay. Graphs of one node, or of two, may share names.
void make_names_unique(Graph& main);

/// Throws ErrorCode::invalid, "graph.verify", for a value of a nested graph, captured ones aside,
/// that has the name of a value of a graph around it.
void verify_names(const Graph& main);

}  // namespace ortool
