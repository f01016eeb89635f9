// String formatting by pattern, and escaping of control characters.
#include "libcore/base/format.hpp"

#include <fmt/format.h>

namespace ortool {

FormatArgument::FormatArgument(double value) : text_(fmt::format("{}", value)) {}

std::string format_list(std::string_view pattern, const FormatArgument* arguments,
                        std::size_t count) {
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{' && i + 1 < pattern.size() && pattern[i + 1] == '}' && next < count) {
      result += arguments[next++].text();
      ++i;
    } else {
      result += pattern[i];
    }
  }
  return result;
}

std::string escape_control_characters(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '\n') {
      result += "\\n";
    } else if (character == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += character;
    }
  }
  return result;
}

}  // namespace ortool
