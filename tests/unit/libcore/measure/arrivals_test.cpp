// Arrival times: their mean and spread, and the search for the highest rate.
#include "libcore/measure/arrivals.hpp"

#include <catch2/catch.hpp>

#include "libcore/measure/sample_blocks.hpp"

using namespace ortool;

TEST_CASE("Poisson arrivals have exponential gaps with the mean asked for") {
  const std::vector<double> times = poisson_arrivals(50, 20000, 3);
  std::vector<double> gaps;
  double last = 0;
  for (const double time : times) {
    REQUIRE(time >= last);
    gaps.push_back(time - last);
    last = time;
  }
  CHECK(mean_of(gaps) == Approx(1.0 / 50).epsilon(0.03));
  // The deviation of an exponential distribution is its mean.
  CHECK(variance_of(gaps) == Approx(1.0 / 2500).epsilon(0.1));
  CHECK(times == poisson_arrivals(50, 20000, 3));
  CHECK(times != poisson_arrivals(50, 20000, 4));
}

TEST_CASE("Constant arrivals are equally far apart") {
  CHECK(constant_arrivals(4, 3) == std::vector<double>{0, 0.25, 0.5});
}

TEST_CASE("The search ends just below the highest rate that passes") {
  for (const double limit : {0.3, 7.0, 1234.5}) {
    RateSearch search(10);
    int tries = 0;
    while (!search.is_done()) {
      search.tell(search.next() <= limit);
      REQUIRE(++tries <= 40);
    }
    CHECK(search.best() <= limit);
    CHECK(search.best() > 0.9 * limit);
  }
}

TEST_CASE("The search gives up where no rate passes") {
  RateSearch search(8);
  while (!search.is_done()) search.tell(false);
  CHECK(search.best() == 0);
}
