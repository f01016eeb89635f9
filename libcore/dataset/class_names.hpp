// Class names (labels) by index, one per line of a text file.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {

/// The class names in the file, one per line. Throws ErrorCode::invalid when there are none.
std::vector<std::string> read_labels(const std::string& path, MemoryCap* cap);

}  // namespace ortool
