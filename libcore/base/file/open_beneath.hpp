// Opens a file below a folder such that no name, link or mount point can lead outside of it.
#pragma once

#include <string>

#include "libcore/base/file/descriptor.hpp"

namespace ortool {

/// Opens `path`, relative to the open folder `folder`, for reading. Rejects symbolic links in any
/// component and paths that leave the folder. Never blocks (a pipe opens at once); the caller
/// checks the file type. On failure, the descriptor is not open and errno is set: ELOOP for a link,
/// EXDEV for a path that leaves the folder.
Descriptor open_beneath(int folder, const std::string& path);

/// Same without openat2, one component after the other, rejecting every "..". The fallback of
/// open_beneath.
Descriptor open_beneath_by_steps(int folder, const std::string& path);

}  // namespace ortool
