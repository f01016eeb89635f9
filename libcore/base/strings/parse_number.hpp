// Parsing numbers and lists in text, strictly and in any locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// The number `text` holds, whole and in any locale; false when it is none.
bool read_number(std::string_view text, double& number);
bool read_integer(std::string_view text, std::int64_t& number);

/// The pieces between separators; none for an empty text.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace ortool
