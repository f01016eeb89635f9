// Strict UTF-8 decoding of one character: lead byte, continuation bytes, invalid code points.
#include "libcore/base/utf8.hpp"

namespace ortool {

Utf8Character read_utf8(std::string_view text) {
  const auto byte = [&](std::size_t index) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[index]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t bytes = 0;
  std::uint32_t least = 0;
  std::uint32_t code = 0;
  if (first >= 0xc2 && first < 0xe0) {
    bytes = 2, least = 0x80, code = first & 0x1fU;
  } else if (first >= 0xe0 && first < 0xf0) {
    bytes = 3, least = 0x800, code = first & 0xfU;
  } else if (first >= 0xf0 && first < 0xf5) {
    bytes = 4, least = 0x10000, code = first & 7U;
  }
  if (bytes == 0 || text.size() < bytes) return {0, 0};
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {0, 0};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least || code > 0x10ffff || is_surrogate) return {0, 0};
  return {code, bytes};
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = read_utf8(text);
    if (character.bytes == 0) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::size_t last_character_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() &&
         (static_cast<unsigned char>(text[text.size() - bytes]) & 0xc0U) == 0x80)
    ++bytes;
  return bytes;
}

}  // namespace ortool
