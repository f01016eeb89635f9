// Signal-to-noise ratio at its limits.
#include "libcore/tensor/signal_to_noise.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

TEST_CASE("a hundredth of the signal is 20 decibels below it, and none is infinitely far") {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  CHECK(signal_to_noise_db(400, 4) == Approx(20));
  CHECK(signal_to_noise_db(4, 400) == Approx(-20));
  CHECK(signal_to_noise_db(1, 0) == unlimited);
  CHECK(signal_to_noise_db(0, 0) == unlimited);
  CHECK(signal_to_noise_db(0, 1) == -unlimited);
}

}  // namespace
}  // namespace ortool
