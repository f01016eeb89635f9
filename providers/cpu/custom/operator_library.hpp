// Libraries of custom operators and operators of the program itself: loaded, checked, registered.
#pragma once

#include <string>

#include "providers/cpu/custom/ortool/custom_ops.h"

namespace ortool::cpu {

/// Loads the shared library at `path` and registers its operators; does nothing for one that is
/// loaded. Throws ErrorCode::invalid, and registers nothing, for a file that is no such library,
/// was built for another version of the interface, or defines operators that are incomplete or
/// known.
void load_operator_library(const std::string& path);

/// Registers operators of the program itself, whose structs are copied; `origin` names them in
/// messages. Throws as load_operator_library() does.
void add_operators(const ortool_operators& operators, const std::string& origin);

}  // namespace ortool::cpu
