// Tests of escaping text for terminals: no control character gets through.
#include "libcore/base/strings/escape.hpp"

#include <catch2/catch.hpp>

using ortool::cut_to;
using ortool::printable;

TEST_CASE("control characters of every kind are spelled out") {
  CHECK(printable("a\x1b[31m\nb") == "a\\x1b[31m\\nb");
  CHECK(printable("\xc2\x9b") == "\\u009b");
  CHECK(printable("\xe2\x80\xae") == "\\u202e");
  CHECK(printable("\x9b") == "\xef\xbf\xbd");
  CHECK(printable("caf\xc3\xa9") == "caf\xc3\xa9");
}

TEST_CASE("cut text ends at a character's end and within the limit") {
  CHECK(cut_to("abcdef", 6) == "abcdef");
  CHECK(cut_to("abcdefg", 6) == "abc...");
  CHECK(cut_to("ab\xc3\xa9"
               "defg",
               6) == "ab...");
}
