// Nearest names, shortened texts and bounded lists.
#include "libcore/base/nearest.hpp"

#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using ortool::edit_distance;
using ortool::list_names;
using ortool::nearest_name;
using ortool::shorten;

TEST_CASE("Edit distance counts insertions, deletions, replacements and swaps of neighbors") {
  CHECK(edit_distance("", "", 5) == 0);
  CHECK(edit_distance("", "abc", 5) == 3);
  CHECK(edit_distance("relu", "rel", 5) == 1);
  CHECK(edit_distance("relu", "reLU", 5) == 0);
  CHECK(edit_distance("relu", "rleu", 5) == 1);
  CHECK(edit_distance("kitten", "sitting", 5) == 3);
  CHECK(edit_distance("sitting", "kitten", 5) == 3);
}

TEST_CASE("Edit distance gives up one past the limit") {
  CHECK(edit_distance("kitten", "sitting", 3) == 3);
  CHECK(edit_distance("kitten", "sitting", 2) == 3);
  CHECK(edit_distance("a", "aaaaaaaaaa", 2) == 3);
  CHECK(edit_distance("abc", "xyz", 0) == 1);
}

TEST_CASE("The nearest name is offered only for what may be a slip") {
  constexpr std::array<std::string_view, 4> names = {"provider", "profile", "threads", "x"};
  CHECK(nearest_name("porvider", names) == "provider");
  CHECK(nearest_name("thread", names) == "threads");
  CHECK(nearest_name("Threads", names) == "threads");
  CHECK(nearest_name("banana", names).empty());
  CHECK(nearest_name("y", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name(std::string(100000, 'a'), names).empty());
}

TEST_CASE("The first of two names equally near is kept") {
  constexpr std::array<std::string_view, 2> names = {"input_1", "input_2"};
  CHECK(nearest_name("input_3", names) == "input_1");
}

TEST_CASE("A shortened text keeps both ends and its limit") {
  CHECK(shorten("short", 10) == "short");
  CHECK(shorten("0123456789", 10) == "0123456789");
  CHECK(shorten("0123456789abc", 10) == "01234...89abc");
  for (const std::size_t length : {0U, 1U, 9U, 10U, 11U, 100000U}) {
    CHECK(shorten(std::string(length, '\n'), 10).size() <= 10 + 3);
  }
}

TEST_CASE("Control characters never come out of a quoted name") {
  const std::string quoted = ortool::quote("a\x1b[31mb\n");
  CHECK(quoted == "'a\\x1b[31mb\\n'");
  const std::string long_quoted = ortool::quote(std::string(50, '\x01') + std::string(50, 'b'), 60);
  for (const char letter : long_quoted) CHECK(static_cast<unsigned char>(letter) >= 0x20);
}

TEST_CASE("A list of names stays short and counts what it leaves out") {
  CHECK(list_names(std::vector<std::string>{}).empty());
  CHECK(list_names(std::vector<std::string>{"a", "b"}) == "a, b");
  const std::vector<std::string> many(1000, "name");
  const std::string list = list_names(many, 50);
  CHECK(list.size() < 80);
  CHECK_THAT(list, Catch::StartsWith("name, name") && Catch::EndsWith(" more"));
  CHECK(list_names(std::vector<std::string>{std::string(500, 'a'), "b"}, 10).find("and 1 more") !=
        std::string::npos);
}
