// UTF-8: sizes of characters at either end of a text.
#include "libcore/base/utf8.hpp"

#include <string>

#include <catch2/catch.hpp>

using ortool::last_character_bytes;
using ortool::read_utf8;

TEST_CASE("the last character of a text has as many bytes as it was read from") {
  for (const std::string character : {"a", "\u00e9", "\u20ac", "\U0001f600"}) {
    CAPTURE(character);
    CHECK(read_utf8(character).bytes == character.size());
    CHECK(last_character_bytes(character) == character.size());
    CHECK(last_character_bytes("\u00fc" + character) == character.size());
  }
}
