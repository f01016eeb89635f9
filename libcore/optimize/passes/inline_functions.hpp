// Function inlining: replaces calls of model-local functions by the functions' bodies.
#pragma once

#include "libcore/graph/model.hpp"

namespace ortool {

/// Inlines every call in all graphs until none is left; functions take precedence over operators of
/// the same name. Inlined nodes are named "CALL/NODE"; value names are unique across nested graphs
/// afterward (nested_names.hpp). Throws ErrorCode::invalid for recursive functions and for more
/// than a million nodes, and ErrorCode::unsupported for a body whose opset gives one of its
/// operators another meaning than the model's.
void inline_functions(Model& model);

}  // namespace ortool
