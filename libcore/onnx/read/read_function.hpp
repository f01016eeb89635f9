// Reader for FunctionProto, and limits on functions that call each other.
#pragma once

#include "libcore/graph/model.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// Reads a function. Throws ErrorCode::invalid starting with the function's name.
Function read_function(LoadContext& context, Message message);

/// Throws ErrorCode::invalid for two functions of one name ("function.repeated"), recursive calls
/// ("function.cycle"), too deep calls ("function.depth"), or too many nodes after inlining into the
/// main graph ("function.size").
void check_functions(const Model& model);

}  // namespace ortool::onnx
