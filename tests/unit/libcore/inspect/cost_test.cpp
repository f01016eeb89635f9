// Tests of cost formulas.
#include "libcore/inspect/cost.hpp"

#include <catch2/catch.hpp>

using ortool::Cost;
using ortool::Dimension;

TEST_CASE("a cost of known numbers is a number") {
  Cost cost = Cost::number(6).times(Dimension(7), "unknown");
  cost.add(Cost::number(8));
  CHECK(cost.value() == 50);
  CHECK(cost.formula() == "50");
  CHECK(Cost().value() == 0);
}

TEST_CASE("a cost with symbols is a formula and no number") {
  Cost cost = Cost::number(6).times(Dimension::symbol("batch"), "unknown");
  cost.add(Cost::number(4).times(Dimension::symbol("batch"), "unknown"));
  cost.add(Cost::number(3));
  CHECK_FALSE(cost.value().has_value());
  CHECK(cost.formula() == "3 + 10*batch");
  CHECK(Cost::number(2).times(Dimension(), "x[0]").formula() == "2*x[0]");
}
