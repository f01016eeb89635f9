// Strict UTF-8 decoding: rejects overlong forms, surrogates and code points above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ortool {

struct Utf8Character {
  std::uint32_t code;
  std::size_t bytes;  ///< 0: the first byte does not start a valid character
};

/// Decodes the first character of `text`, which must not be empty.
Utf8Character read_utf8(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// The size of the last character of `text`, which is valid and not empty.
std::size_t last_character_bytes(std::string_view text);

}  // namespace ortool
