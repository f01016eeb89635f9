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

TEST_CASE("sums that pass 63 bits are no number") {
  Cost cost(std::int64_t{1} << 62);
  cost.add(Cost(std::int64_t{1} << 62));
  CHECK_FALSE(cost.value().has_value());
}
