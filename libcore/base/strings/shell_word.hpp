// A word as a shell reads it back.
#pragma once

#include <string>

namespace ortool {

/// In single quotes where it holds more than plain letters.
std::string shell_word(const std::string& word);

}  // namespace ortool
