// FunctionProto, and the limits on functions that call each other.
#pragma once

#include "libcore/graph/model.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// Reads a function. Throws ErrorCode::invalid with the function's name in front.
Function read_function(LoadContext& context, Message message);

/// Throws ErrorCode::invalid when two functions have one name ("function.repeated"), call each
/// other in a circle ("function.cycle"), too deep ("function.depth"), or would be too many nodes
/// once written out in the main graph ("function.size").
void check_functions(const Model& model);

}  // namespace ortool::onnx
