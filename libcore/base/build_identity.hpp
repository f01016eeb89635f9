// Identity of the running program: which build it is.
#pragma once

#include <string>

namespace ortool {

/// Version, commit, and the linker's build ID of the library as numbers: differs between
/// any two builds of different code. Without a build ID, the library's size and time of change.
std::string build_identity();

}  // namespace ortool
