// Directory listing: the names of a folder's entries.
#pragma once

#include <string>

#include "libcore/base/function_ref.hpp"

namespace ortool {

/// Calls `visit` with the name of each entry except "." and "..", in the file system's order, until
/// it returns false. Returns 0, or the errno of the failed call. Unlike
/// std::filesystem::directory_iterator, whose path copies terminate the program in libstdc++ when
/// memory runs out, it propagates std::bad_alloc.
int list_folder(const std::string& path, FunctionRef<bool(const std::string& name)> visit);

}  // namespace ortool
