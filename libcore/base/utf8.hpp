// UTF-8 read strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ortool {

struct Utf8Character {
  std::uint32_t code;
  std::size_t bytes;  ///< 0: the first byte is no part of a valid character
};

/// The first character of `text`, which is not empty.
Utf8Character read_utf8(std::string_view text);

bool is_valid_utf8(std::string_view text);

}  // namespace ortool
