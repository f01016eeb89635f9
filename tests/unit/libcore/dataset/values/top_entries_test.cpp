// Tests of ranked scores, and of their probabilities.
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "libcore/dataset/values/probabilities.hpp"
#include "libcore/dataset/values/value_block.hpp"

namespace ortool {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

TEST_CASE("NaN has no rank", "[dataset]") {
  const Tensor scores = Tensor::of<float>(Shape{3, 3}, {nan, 2, inf, nan, nan, nan, 1, 3, 2});
  const std::vector<TopEntry> entries = top_entries(scores, 3);
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].index == 2);
  CHECK(entries[1].index == 1);
  CHECK(entries[2].row == 2);
  CHECK(entries[2].index == 1);
  CHECK(top_entries(Tensor::of<float>(Shape{2}, {nan, nan}), 2).empty());
}

TEST_CASE("probabilities are the softmax of each row", "[dataset]") {
  const Tensor scores = Tensor::of<float>(Shape{2, 2}, {1000, 1001, 0, 0});
  const std::vector<double> found = probabilities_of(scores, top_entries(scores, 2));
  REQUIRE(found.size() == 4);
  CHECK(found[0] == Approx(1 / (1 + std::exp(-1))));
  CHECK(found[0] + found[1] == Approx(1));
  CHECK(found[3] == Approx(0.5));
  CHECK_FALSE(holds_probabilities(scores));
  CHECK(holds_probabilities(Tensor::of<float>(Shape{2, 2}, {0.25, 0.75, 1, 0})));
  CHECK_FALSE(holds_probabilities(Tensor::of<float>(Shape{1, 3}, {-1, 1, 1})));
  CHECK_FALSE(holds_probabilities(Tensor::of<float>(Shape{1, 2}, {nan, 1})));
}

}  // namespace
}  // namespace ortool
