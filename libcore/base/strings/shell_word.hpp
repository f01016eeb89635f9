// Quoting of words for a POSIX shell.
#pragma once

#include <string>

namespace ortool {

/// In single quotes if it contains more than plain characters.
std::string shell_word(const std::string& word);

}  // namespace ortool
