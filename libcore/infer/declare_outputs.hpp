// Declarations of values that operators of users compute, for programs that do not know them.
#pragma once

#include "libcore/graph/model.hpp"

namespace ortool {

/// Declares outputs of nodes whose operators were registered (register_op), with the types and
/// shapes that they have: who reads the file without those operators then knows them.
void declare_registered_outputs(Model& model);

}  // namespace ortool
