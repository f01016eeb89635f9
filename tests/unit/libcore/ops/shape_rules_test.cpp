// Arithmetic on dimensions in shape rules: sums, products, broadcasting, merging.
#include "libcore/ops/shape_rules.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

const Dimension batch = Dimension::symbol("batch");
const Dimension length = Dimension::symbol("length");
const Dimension unknown;

TEST_CASE("broadcasting keeps symbols beside ones and numbers beside symbols", "[ops]") {
  CHECK(broadcast_dimensions(batch, 1) == batch);
  CHECK(broadcast_dimensions(1, batch) == batch);
  CHECK(broadcast_dimensions(batch, 4) == Dimension(4));
  CHECK(broadcast_dimensions(0, 1) == Dimension(0));
  CHECK(broadcast_dimensions(batch, batch) == batch);
  CHECK(broadcast_dimensions(batch, length) == broadcast(batch, length));
  CHECK_THROWS_AS(broadcast_dimensions(3, 4), Error);
}

TEST_CASE("broadcast shapes are aligned at their ends", "[ops]") {
  CHECK(broadcast_shapes(Dimensions{batch, 1, 5}, Dimensions{length, 1}) ==
        Dimensions{batch, length, 5});
  CHECK(broadcast_shapes(Dimensions{}, Dimensions{2}) == Dimensions{2});
  CHECK_FALSE(broadcast_shapes(std::nullopt, Dimensions{2}).has_value());
  CHECK_THROWS_AS(broadcast_shapes(Dimensions{2, 3}, Dimensions{2, 4}), Error);
}

TEST_CASE("merging takes what is known better and refuses different numbers", "[ops]") {
  CHECK(merge_shapes(Dimensions{batch, unknown}, Dimensions{2, length}) == Dimensions{2, length});
  CHECK_THROWS_AS(merge_shapes(Dimensions{2}, Dimensions{3}), Error);
  CHECK_THROWS_AS(merge_shapes(Dimensions{2}, Dimensions{2, 2}), Error);
}

TEST_CASE("arithmetic on dimensions has a name for each operator", "[ops]") {
  using enum DimensionOp;
  CHECK(combine_dimensions(add, batch, 0) == batch);
  CHECK(combine_dimensions(subtract, batch, batch) == Dimension(0));
  CHECK(combine_dimensions(multiply, 1, batch) == batch);
  CHECK(combine_dimensions(multiply, unknown, 0) == Dimension(0));
  CHECK(combine_dimensions(divide, batch, 1) == batch);
  CHECK(combine_dimensions(divide, 7, 2) == Dimension(3));
  CHECK(combine_dimensions(divide, 7, 0) == unknown);
  CHECK(combine_dimensions(subtract, 2, 3) == Dimension(-1));
  CHECK(combine_dimensions(add, std::int64_t{1} << 62, std::int64_t{1} << 62) == unknown);
  CHECK(combine_dimensions(multiply, batch, 2) == batch + batch);
  CHECK(combine_dimensions(divide, -7, 2) == Dimension(-3));
}

TEST_CASE("axes are normalized, and refused when outside or given twice", "[ops]") {
  const std::int64_t axes[] = {-1, 0};
  CHECK(normalize_axes(axes, 3) == std::vector<std::int64_t>{2, 0});
  const std::int64_t twice[] = {1, -2};
  CHECK_THROWS_AS(normalize_axes(twice, 3), Error);
  const std::int64_t outside[] = {3};
  CHECK_THROWS_AS(normalize_axes(outside, 3), Error);
}

TEST_CASE("sizes that are too big are refused rather than wrapped", "[ops]") {
  CHECK(add_sizes(3, -5) == -2);
  CHECK_THROWS_AS(add_sizes(std::int64_t{1} << 62, std::int64_t{1} << 62), Error);
}

}  // namespace
}  // namespace ortool
