// Formatting text with placeholders, and escaping control characters.
#include "libcore/base/format.hpp"

#include <catch2/catch.hpp>

using ortool::escape_control_characters;
using ortool::format;

TEST_CASE("Each pair of braces takes the next argument") {
  CHECK(format("{} of {} are {}", 3, std::uint64_t{18446744073709551615U}, "left") ==
        "3 of 18446744073709551615 are left");
  CHECK(format("{}{}", 'a', true) == "atrue");
}

TEST_CASE("Numbers print shortest and exact") {
  CHECK(format("{}", 0.1) == "0.1");
  CHECK(format("{}", -1.5e300) == "-1.5e+300");
}

TEST_CASE("Braces without an argument stay") {
  CHECK(format("{} {}", 1) == "1 {}");
}

TEST_CASE("An argument that holds braces is not filled again") {
  CHECK(format("{} {}", "{}", 2) == "{} 2");
}

TEST_CASE("Control characters are escaped and other bytes kept") {
  CHECK(escape_control_characters("a\nb\t\x1b[31m\x7f\xc3\xa9") ==
        "a\\nb\\t\\x1b[31m\\x7f\xc3\xa9");
}
