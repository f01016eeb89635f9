// Percentiles: the right sample, intervals with the stated coverage, refusals.
#include "libcore/measure/percentile.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/random_bits.hpp"
#include "libcore/measure/distributions.hpp"

using namespace ortool;

TEST_CASE("Student's quantiles are those of the tables") {
  CHECK(student_quantile(0.975, 1) == Approx(12.7062).epsilon(1e-4));
  CHECK(student_quantile(0.975, 10) == Approx(2.22814).epsilon(1e-4));
  CHECK(student_quantile(0.025, 10) == Approx(-2.22814).epsilon(1e-4));
  CHECK(student_quantile(0.95, 1000) == Approx(1.64638).epsilon(1e-4));
}

TEST_CASE("The binomial distribution adds up what its terms say") {
  CHECK(binomial_at_most(0, 4, 0.5) == Approx(1.0 / 16));
  CHECK(binomial_at_most(2, 4, 0.5) == Approx(11.0 / 16));
  CHECK(binomial_at_most(3, 4, 0.5) == Approx(15.0 / 16));
  CHECK(binomial_at_most(4, 4, 0.5) == 1);
  CHECK(binomial_at_most(-1, 4, 0.5) == 0);
}

TEST_CASE("A percentile is the smallest sample that so many percent do not exceed") {
  std::vector<double> sorted(100);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<double>(i + 1);
  CHECK(estimate_percentile(sorted, 50, 0.95).value == 50);
  CHECK(estimate_percentile(sorted, 90, 0.95).value == 90);
  CHECK(estimate_percentile(sorted, 99, 0.95).value == 99);
  const PercentileEstimate median = estimate_percentile(sorted, 50, 0.95);
  // Conover, Practical Nonparametric Statistics: ranks 40 and 61 for 100 samples.
  CHECK(median.interval.low == 40);
  CHECK(median.interval.high == 61);
}

TEST_CASE("A percentile beyond what the samples can tell is refused with the number it takes") {
  const std::vector<double> sorted(300, 1.0);
  const PercentileEstimate high = estimate_percentile(sorted, 99, 0.95);
  CHECK_FALSE(high.has_enough);
  CHECK(high.needed == 368);
  CHECK(estimate_percentile(sorted, 95, 0.95).has_enough);
  CHECK(estimate_percentile(std::vector<double>(368, 1.0), 99, 0.95).has_enough);
  CHECK_FALSE(estimate_percentile(std::vector<double>(5, 1.0), 50, 0.95).has_enough);
  CHECK(estimate_percentile(std::vector<double>(6, 1.0), 50, 0.95).has_enough);
  CHECK_FALSE(estimate_percentile({}, 50, 0.95).has_enough);
}

TEST_CASE("Samples that resemble each other count for fewer") {
  std::vector<double> sorted(400);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<double>(i);
  const PercentileEstimate apart = estimate_percentile(sorted, 50, 0.95, 1);
  const PercentileEstimate alike = estimate_percentile(sorted, 50, 0.95, 16);
  CHECK(alike.interval.high - alike.interval.low > 3 * (apart.interval.high - apart.interval.low));
  CHECK_FALSE(estimate_percentile(sorted, 99, 0.95, 16).has_enough);
}

TEST_CASE("Intervals of percentiles hold the true one at least as often as they say") {
  RandomBits random(7);
  int held_median = 0;
  int held_ninety = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples(80);
    for (double& sample : samples) sample = random.unit();
    std::sort(samples.begin(), samples.end());
    const auto holds = [&](double percent) {
      const PercentileEstimate found = estimate_percentile(samples, percent, 0.95);
      return found.interval.low <= percent / 100 && percent / 100 <= found.interval.high;
    };
    held_median += holds(50) ? 1 : 0;
    held_ninety += holds(90) ? 1 : 0;
  }
  CHECK(held_median >= trials * 94 / 100);
  CHECK(held_ninety >= trials * 94 / 100);
  CHECK(held_median < trials);
}
