// String splitting at a delimiter or at whitespace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "libcore/base/utf8.hpp"

namespace ortool::cpu {

/// Unicode whitespace, and the four ASCII separators before the space.
inline bool is_white_space(std::uint32_t code) {
  return (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x20) || code == 0x85 ||
         code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
         code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

/// Number of leading bytes of `text` that are whitespace (or not).
inline std::size_t leading_bytes(std::string_view text, bool of_white_space) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Utf8Character character = read_utf8(text.substr(bytes));
    if ((character.bytes != 0 && is_white_space(character.code)) != of_white_space) break;
    bytes += std::max<std::size_t>(character.bytes, 1);
  }
  return bytes;
}

/// Calls body(piece) for each piece, at most `max_cuts` + 1. With an empty delimiter, any run of
/// whitespace separates; leading and trailing whitespace is ignored, and a text of whitespace only
/// has no piece. The piece after the last allowed cut keeps its trailing whitespace.
template <typename Body>
void split_text(std::string_view text, std::string_view delimiter, std::int64_t max_cuts,
                Body body) {
  if (!delimiter.empty()) {
    for (; max_cuts > 0; --max_cuts) {
      const std::size_t end = text.find(delimiter);
      if (end == std::string_view::npos) break;
      body(text.substr(0, end));
      text.remove_prefix(end + delimiter.size());
    }
    body(text);
    return;
  }
  text.remove_prefix(leading_bytes(text, true));
  for (; max_cuts > 0 && !text.empty(); --max_cuts) {
    const std::size_t end = leading_bytes(text, false);
    body(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(leading_bytes(text, true));
  }
  if (!text.empty()) body(text);
}

}  // namespace ortool::cpu
