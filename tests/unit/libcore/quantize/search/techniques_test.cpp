// Techniques: when a gain is significant.
#include "libcore/quantize/search/techniques.hpp"

#include <cmath>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

TEST_CASE("a single sample has to gain half a decibel, whatever else is asked") {
  CHECK(mean_of({}) == 0);
  CHECK(mean_of({10, 20}) == 15);
  const RequiredGain bar{.min_db = 0.05, .deviations = 1};
  CHECK_FALSE(is_better({20.4}, {20}, bar));
  CHECK(is_better({20.6}, {20}, bar));
  CHECK_FALSE(is_better({20}, {20}));
}

TEST_CASE("a gain has to exceed the least and its own standard errors") {
  const RequiredGain bar{.min_db = 0.5, .deviations = 2};
  CHECK(is_better({21, 31, 41}, {20, 30, 40}, bar));
  CHECK_FALSE(is_better({20.4, 30.4, 40.4}, {20, 30, 40}, bar));
  // The same mean gain of 1, but from 4, 0 and -1: the standard error is 1.5.
  CHECK_FALSE(is_better({24, 30, 39}, {20, 30, 40}, bar));
  CHECK_FALSE(is_better({20, 30}, {21, 31}, bar));
}

TEST_CASE("what is measured on few samples has to gain more there than chance takes") {
  CHECK(bar_of_measured(1).min_db == 0.5);
  CHECK(bar_of_measured(2).min_db == Approx(10 * std::log10(3)));
  CHECK(bar_of_measured(3).min_db == Approx(10 * std::log10(2)));
  CHECK(bar_of_measured(19).min_db == Approx(10 * std::log10(20.0 / 18)));
}

}  // namespace
}  // namespace ortool
