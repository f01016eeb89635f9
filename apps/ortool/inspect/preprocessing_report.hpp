// How an input wants to be fed, as JSON and as a line.
#pragma once

#include <string>

#include "libcore/inspect/preprocessing.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

Json preprocessing_block(const PreprocessingHint& hint);

/// "nchw, (x - 127.5) / 127.5 inside": empty when there is nothing to tell.
std::string preprocessing_line(const PreprocessingHint& hint);

}  // namespace ortool
