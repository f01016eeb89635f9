// Operator list: what models need of a minimal build (inspect --operators).
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

/// Reports the operators of all models that the arguments name, and those that sessions make of
/// them, at every instruction set of this processor: the list that `-DORTOOL_OPERATORS` takes.
void list_operators(Invocation& invocation);

}  // namespace ortool
