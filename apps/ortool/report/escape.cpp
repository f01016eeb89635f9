// Walking UTF-8 strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#include "apps/ortool/report/escape.hpp"

#include <algorithm>
#include <cstdint>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;  ///< 0: the first byte is no part of a valid character
};

Character read_character(std::string_view text) {
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

bool turns_direction(std::uint32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0x200e || code == 0x200f || code == 0x2028 || code == 0x2029;
}

std::string hexadecimal(std::uint32_t code) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) {
    text += digits[code >> static_cast<unsigned>(shift) & 15U];
  }
  return text;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = read_character(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    result += character.bytes == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  const std::string valid = valid_utf8(text);
  std::string_view rest = valid;
  while (!rest.empty()) {
    const Character character = read_character(rest);
    const bool is_high_control = character.code >= 0x80 && character.code < 0xa0;
    if (is_high_control || turns_direction(character.code)) {
      result += hexadecimal(character.code);
    } else {
      result += escape_control_characters(rest.substr(0, character.bytes));
    }
    rest.remove_prefix(character.bytes);
  }
  return result;
}

std::string cut_to(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  std::size_t end = most_bytes - std::min<std::size_t>(most_bytes, 3);
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::size_t column_count(std::string_view text) {
  std::size_t columns = 0;
  for (const char character : text) {
    columns += (static_cast<unsigned char>(character) & 0xc0U) != 0x80 ? 1U : 0U;
  }
  return columns;
}

}  // namespace ortool
