// Value facts: when two dimensions are equal for all values of their symbols.
#include "libcore/optimize/rewrite/value_facts.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

Dimension named(const char* name) {
  return Dimension::symbol(name);
}

TEST_CASE("a symbol called by a sum is that sum") {
  const Dimension sum = named("past") + named("length");
  CHECK(are_equal(named("past + length"), sum));
  CHECK(are_equal(sum, named("length+past")));
  CHECK(are_equal(named("past + 1"), named("past") + 1));
}

TEST_CASE("a symbol called otherwise is no sum") {
  const Dimension sum = named("past") + named("length");
  CHECK_FALSE(are_equal(named("total"), sum));
  CHECK_FALSE(are_equal(named("past + past"), sum));
  CHECK_FALSE(are_equal(named("past + length"), named("length + past")));
}

TEST_CASE("unknown dimensions are not equal") {
  CHECK_FALSE(are_equal(Dimension(), Dimension()));
}

}  // namespace
}  // namespace ortool
