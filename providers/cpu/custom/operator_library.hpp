// Libraries of custom operators: loaded, checked and registered.
#pragma once

#include <string>

namespace ortool::cpu {

/// Loads the shared library at `path` and registers its operators; does nothing for one that is
/// loaded. Throws ErrorCode::invalid, and registers nothing, for a file that is no such library,
/// was built for another version of the interface, or defines operators that are incomplete or
/// known.
void load_operator_library(const std::string& path);

}  // namespace ortool::cpu
