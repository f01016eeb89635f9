// Name shadowing in nested graphs: ONNX's single static assignment spans outer scopes.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Renames each value of a nested graph that has the name of a value in an enclosing graph. Inputs
/// and outputs of bodies are matched by position, so renaming is not visible outside. Names of the
/// main graph stay, and so do inputs and outputs of bodies of other domains' operators: ONNX
/// Runtime's BeamSearch refuses a decoder whose input is not called input_ids, and its tools call
/// the model's own input so too. Sibling graphs may share names.
void make_names_unique(Graph& main);

/// Throws ErrorCode::invalid, "graph.verify", if a value of a nested graph, except a capture, has
/// the name of a value in an enclosing graph that make_names_unique() would not allow.
void verify_names(const Graph& main);

}  // namespace ortool
