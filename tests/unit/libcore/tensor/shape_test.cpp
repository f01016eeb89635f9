// Shapes, their sizes and their limits.
#include "libcore/tensor/shape.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using ortool::Error;
using ortool::normalize_axis;
using ortool::Shape;

TEST_CASE("A scalar has one element and an empty dimension none") {
  CHECK(Shape{}.element_count() == 1);
  CHECK(Shape{2, 0, 3}.element_count() == 0);
  CHECK(Shape{2, 3, 4}.element_count() == 24);
  CHECK(Shape{}.to_string() == "scalar");
  CHECK(Shape{2, 3}.to_string() == "2x3");
}

TEST_CASE("Sizes that pass every limit are errors, not overflows") {
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK_THROWS_AS(Shape({big, big}).element_count(), Error);
  CHECK(Shape({big, big, 0}).element_count() == 0);
  CHECK_THROWS_AS(Shape({-1}), Error);
  CHECK_THROWS_AS(Shape(std::vector<std::int64_t>(65, 1)), Error);
}

TEST_CASE("An axis counts from either end and nowhere else") {
  CHECK(normalize_axis(-1, 4) == 3);
  CHECK(normalize_axis(2, 4) == 2);
  CHECK_THROWS_WITH(normalize_axis(4, 4), "axis 4 is outside rank 4 (expected -4..3)");
  CHECK_THROWS_WITH(normalize_axis(0, 0), "axis 0 is given for a scalar");
}
