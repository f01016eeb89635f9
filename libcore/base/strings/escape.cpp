// Escaping of text, character by character.
#include "libcore/base/strings/escape.hpp"

#include <algorithm>
#include <cstdint>

#include "libcore/base/format.hpp"
#include "libcore/base/utf8.hpp"

namespace ortool {
namespace {

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
    const Utf8Character character = read_utf8(text);
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
    const Utf8Character character = read_utf8(rest);
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

std::string cut_to(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes - std::min<std::size_t>(max_bytes, 3);
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

std::size_t column_count(std::string_view text) {
  std::size_t columns = 0;
  for (const char character : text) {
    columns += (static_cast<unsigned char>(character) & 0xc0U) != 0x80 ? 1U : 0U;
  }
  return columns;
}

}  // namespace ortool
