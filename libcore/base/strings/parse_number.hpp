// Strict, locale-independent parsing of numbers and lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// Parses the complete `text` as a number, independent of the locale; returns false if it is not
/// one.
bool read_number(std::string_view text, double& number);
bool read_integer(std::string_view text, std::int64_t& number);

/// The parts between separators; empty for an empty text.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace ortool
