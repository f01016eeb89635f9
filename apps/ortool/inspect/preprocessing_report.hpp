// Preprocessing hints of an input, as JSON and as one line of text.
#pragma once

#include <string>

#include "libcore/inspect/preprocessing.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

Json preprocessing_block(const PreprocessingHint& hint);

/// "nchw, computes (x - 127.5) / 127.5 itself"; empty without hints.
std::string preprocessing_line(const PreprocessingHint& hint);

}  // namespace ortool
