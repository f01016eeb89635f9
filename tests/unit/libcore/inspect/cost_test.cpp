// Tests of cost formulas.
#include "libcore/inspect/cost.hpp"

#include <catch2/catch.hpp>

using ortool::Cost;
using ortool::Dimension;

TEST_CASE("a cost of known numbers is a number") {
  Cost cost = Cost(6).times(Dimension(7));
  cost.add(Cost(8));
  CHECK(cost.value() == 50);
  CHECK(cost.formula() == "50");
  CHECK(Cost().value() == 0);
  CHECK(Cost().is_zero());
}

TEST_CASE("a cost with symbols is a formula and no number") {
  Cost cost = Cost(6).times(Dimension::symbol("batch"));
  cost.add(Cost(4).times(Dimension::symbol("batch")));
  cost.add(Cost(3));
  CHECK_FALSE(cost.value().has_value());
  CHECK(cost.formula() == "10*batch + 3");
  CHECK(cost.times(Dimension::symbol("n")).formula() == "10*batch*n + 3*n");
  CHECK(cost.times(Dimension(0)).value() == 0);
}

TEST_CASE("what is not known stands in a cost under the name given") {
  CHECK(Cost(2).times(Dimension(), "x").formula() == "2*x");
  CHECK(Cost(Dimension(), "macs(a)").formula() == "'macs(a)'");
}

TEST_CASE("a sum of many formulas is kept, where a dimension would grow too long") {
  Cost cost;
  for (int i = 0; i < 200; ++i) {
    cost.add(Cost(Dimension::symbol("s" + std::to_string(i))));
    cost.add(Cost(Dimension::symbol("s0") * Dimension(2) + Dimension(1)));
  }
  CHECK(cost.formula().starts_with("401*s0 + s1 + "));
  CHECK(cost.formula().ends_with(" + 200"));
}

TEST_CASE("terms beyond the most are counted and no longer listed") {
  Cost cost;
  for (int i = 0; i < 1000; ++i) cost.add(Cost(Dimension::symbol("s" + std::to_string(i))));
  CHECK(cost.formula().ends_with(" + 744 more terms"));
  CHECK_FALSE(cost.value().has_value());
}

TEST_CASE("the larger of two costs is told where it is one for all symbols") {
  const Cost small = Cost(2).times(Dimension::symbol("n"));
  const Cost large = Cost(5).times(Dimension::symbol("n"));
  CHECK(Cost::larger(small, large) == large);
  CHECK(Cost::larger(large, small) == large);
  CHECK(Cost::larger(Cost(3), Cost(7)).value() == 7);
  CHECK(Cost::larger(Cost(), large) == large);
  CHECK(Cost::larger(Cost(3), large).formula() == "max(5*n, 3)");
}

TEST_CASE("the larger of two long sums is told with names as they are, and keeps its factors") {
  Cost a(7);
  Cost b(5);
  for (int i = 0; i < 60; ++i) {
    a.add(Cost(Dimension::symbol("rows" + std::to_string(i))));
    b.add(Cost(Dimension::symbol("columns" + std::to_string(i))));
  }
  const Cost larger = Cost::larger(a, b, "macs(If_0)");
  CHECK(larger.formula() == "max(" + a.formula() + ", " + b.formula() + ")");
  const std::string looped = larger.times(Dimension::symbol("n") + Dimension(1)).formula();
  CHECK(looped == larger.formula() + "*(n + 1)");
  CHECK(larger.times(Dimension(3)).formula() == "3*" + larger.formula());
  CHECK(Cost::larger(larger, larger) == larger);
  CHECK_FALSE(larger.value());
}

TEST_CASE("the larger of sums that double at each level stays short") {
  Cost cost(Dimension::symbol("n"));
  for (int level = 0; level < 64; ++level) {
    Cost more = cost;
    more.add(Cost(Dimension::symbol("m" + std::to_string(level))));
    Cost less = cost.times(Dimension(2));
    less.add(Cost(level));
    cost = Cost::larger(more, less, "macs(If_0)");
  }
  CHECK(cost.formula().size() < 2 * 65536);
}

TEST_CASE("a cost names the first node whose data decides it") {
  CHECK(Cost(Dimension::symbol("batch")).cause().empty());
  Cost cost(Dimension::symbol("batch"));
  cost.add(Cost(3).times(Dimension::unknown_because("loop"), "trips(loop)"));
  cost.add(Cost(Dimension::unknown_because("other"), "macs(other)"));
  CHECK(cost.cause() == "loop");
  CHECK(cost.times(Dimension(2)).cause() == "loop");
  CHECK(Cost::larger(Cost(1), cost).cause() == "loop");
}

TEST_CASE("sums that pass 63 bits are no number") {
  Cost cost(std::int64_t{1} << 62);
  cost.add(Cost(std::int64_t{1} << 62));
  CHECK_FALSE(cost.value().has_value());
}
