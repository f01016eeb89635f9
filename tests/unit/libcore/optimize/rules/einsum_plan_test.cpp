// Einsum plans: the order of axes when an Einsum becomes a matrix product.
#include "libcore/optimize/rules/einsum_plan.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

TEST_CASE("an axis that the right operand lacks is broadcast") {
  const auto plan = plan_einsum({"nctv", "cvw", "nctw"}, false, false);
  REQUIRE(plan.has_value());
  CHECK_FALSE(plan->is_swapped);
  CHECK(plan->left == AxisGroups{"n", "c", "t", "v"});
  CHECK(plan->right == AxisGroups{"c", "v", "w"});
  CHECK(plan->result == AxisGroups{"n", "c", "t", "w"});
}

TEST_CASE("an axis that the right operand lacks in the middle has one element there") {
  const auto plan = plan_einsum({"abik", "akj", "abij"}, false, false);
  REQUIRE(plan.has_value());
  CHECK(plan->right == AxisGroups{"a", "", "k", "j"});
}

TEST_CASE("operands change places where that spares a transpose") {
  const auto plan = plan_einsum({"jk", "ij", "ik"}, false, false);
  REQUIRE(plan.has_value());
  CHECK(plan->is_swapped);
  CHECK(plan->left == AxisGroups{"i", "j"});
}

TEST_CASE("summed axes stand as in the operand that is no constant") {
  const auto plan = plan_einsum({"hed", "bseh", "bsd"}, true, false);
  REQUIRE(plan.has_value());
  CHECK(plan->is_swapped);
  CHECK(plan->left == AxisGroups{"b", "s", "eh"});
  CHECK(plan->right == AxisGroups{"eh", "d"});
}

TEST_CASE("there is no product where nothing, or an axis of one operand, is summed") {
  CHECK_FALSE(plan_einsum({"i", "j", "ij"}, false, false).has_value());
  CHECK_FALSE(plan_einsum({"ij", "jk", "k"}, false, false).has_value());
}

}  // namespace
}  // namespace ortool
