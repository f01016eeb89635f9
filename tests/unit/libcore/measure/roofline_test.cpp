// Roofline: what bounds a node of known work on a machine of known limits.
#include "libcore/measure/roofline.hpp"

#include <catch2/catch.hpp>

using namespace ortool;

TEST_CASE("The longer of arithmetic and bytes bounds a node") {
  const MachineLimits limits = {100, 10, 50, 1 << 20};
  CHECK(bound_of({1e9, 1e6, 0.02}, limits) == Bound::compute);
  CHECK(bound_of({1e6, 1e9, 0.2}, limits) == Bound::memory);
  CHECK(bound_of({1e3, 1e6, 3e-5}, limits) == Bound::cache);
}

TEST_CASE("What takes over ten times its least time is bound by what surrounds it") {
  const MachineLimits limits = {100, 10, 50, 1 << 20};
  CHECK(bound_of({1e3, 1e3, 1e-3}, limits) == Bound::overhead);
}

TEST_CASE("What is faster than the machine can be was not done") {
  const MachineLimits limits = {100, 10, 50, 1 << 20};
  CHECK(bound_of({0, 1e9, 1e-4}, limits) == Bound::unknown);
}

TEST_CASE("Where nothing is known nothing is said") {
  const MachineLimits limits = {100, 10, 50, 1 << 20};
  CHECK(bound_of({0, 0, 1}, limits) == Bound::unknown);
  CHECK(bound_of({1e9, 1e9, 1}, {}) == Bound::unknown);
  CHECK(name_of(Bound::unknown) == "unknown");
}
