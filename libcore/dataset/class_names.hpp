// Class names (labels) by number, one a line of a text file.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {

/// The names of the classes, one a line of the file. Throws ErrorCode::invalid when it has none.
std::vector<std::string> read_labels(const std::string& path, MemoryCap* cap);

}  // namespace ortool
