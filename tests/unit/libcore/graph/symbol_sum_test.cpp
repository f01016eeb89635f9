// Symbols whose names are sums of other symbols.
#include "libcore/graph/symbol_sum.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

std::optional<std::int64_t> with_two(const std::string& name) {
  return name == "two" ? std::optional<std::int64_t>(2) : std::nullopt;
}

TEST_CASE("a sum of names and numbers is split") {
  CHECK(summands_of("past.length + length+1") ==
        std::vector<std::string>{"1", "length", "past.length"});
}

TEST_CASE("what is no sum has no summands") {
  for (const char* name : {"", "batch", "+", "a + ", "a + b*c", "a - b"}) {
    INFO(name);
    CHECK(summands_of(name).empty());
  }
}

TEST_CASE("a sum has a number where its names have") {
  CHECK(called_sum("two + 3", with_two) == 5);
  CHECK(called_sum("two + two", with_two) == 4);
  CHECK_FALSE(called_sum("two + other", with_two).has_value());
  CHECK_FALSE(called_sum("two", with_two).has_value());
  CHECK_FALSE(called_sum("two + 9000000000000000000", with_two).has_value());
}

}  // namespace
}  // namespace ortool
