// Opening a file below a folder, so that no name, link or mount trick leads outside of it.
#pragma once

#include <string>

#include "libcore/base/file/descriptor.hpp"

namespace ortool {

/// Opens `path`, relative to the open folder `folder`, for reading. Symbolic links in any component
/// and paths that leave the folder are refused. Opening waits for nothing (a pipe opens at once);
/// the caller checks what kind of file it got. Not open: errno says why, ELOOP for a link and EXDEV
/// for a path that leaves the folder.
Descriptor open_below(int folder, const std::string& path);

/// The same without the kernel's help, one component after the other, and refusing every "..": what
/// open_below does where openat2 is missing or forbidden.
Descriptor open_below_by_steps(int folder, const std::string& path);

}  // namespace ortool
