// Calls of model-local functions replaced by the functions' bodies.
#pragma once

#include "libcore/graph/model.hpp"

namespace ortool {

/// Inlines every call in the model's graphs, those inside bodies too, until none is left; functions
/// win over operators of the same name. Inlined nodes are called "CALL/NODE"; names of values are
/// unique over nested graphs afterwards (nested_names.hpp). Throws
/// ErrorCode::invalid for functions that call each other in a circle or grow past a million nodes,
/// and ErrorCode::unsupported for a body written in an opset in which one of its operators means
/// something else than in the model's.
void inline_functions(Model& model);

}  // namespace ortool
