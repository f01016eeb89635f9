// Ratios of times: intervals, noise floors and verdicts on synthetic series with known truth.
#include "libcore/measure/compare_times.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/random_bits.hpp"

using namespace ortool;

namespace {

struct Pair {
  std::vector<double> a;
  std::vector<double> b;
};

/// Rounds with common drift and one-sided bursts, in which a takes `ratio` times as long as b.
Pair made_pair(std::uint64_t seed, std::size_t rounds, double ratio) {
  RandomBits random(seed);
  Pair pair;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double level = 10 * (1 + 0.3 * std::sin(static_cast<double>(i) / 20));
    const auto noise = [&] {
      return 1 + 0.02 * random.unit() + (random.below(10) == 0 ? random.unit() : 0);
    };
    pair.a.push_back(level * ratio * noise());
    pair.b.push_back(level * noise());
  }
  return pair;
}

}  // namespace

TEST_CASE("A planted slowdown is found through drift and bursts") {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Pair pair = made_pair(seed, 100, 1.05);
    const RatioEstimate estimate = compare_paired(pair.a, pair.b, 0.99, 1);
    found += judge_ratio(estimate, 0.025) == RegressionVerdict::regressed ? 1 : 0;
  }
  CHECK(found >= 95);
}

TEST_CASE("Equal things do not regress") {
  int regressed = 0;
  int different = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Pair pair = made_pair(seed, 60, 1);
    const RatioEstimate estimate = compare_paired(pair.a, pair.b, 0.99, 1);
    regressed += judge_ratio(estimate, 0.05) == RegressionVerdict::regressed ? 1 : 0;
    different += estimate.is_significant() ? 1 : 0;
  }
  CHECK(regressed == 0);
  CHECK(different <= 8);
}

TEST_CASE("A comparison is the same each time and turns over with its sides") {
  const Pair pair = made_pair(4, 50, 1.1);
  const RatioEstimate once = compare_paired(pair.a, pair.b, 0.95, 9);
  const RatioEstimate again = compare_paired(pair.a, pair.b, 0.95, 9);
  CHECK(once.interval.low == again.interval.low);
  CHECK(once.interval.high == again.interval.high);
  CHECK(compare_paired(pair.b, pair.a, 0.95, 9).ratio == Approx(1 / once.ratio));
}

TEST_CASE("Times of different moments compare by their medians") {
  const std::vector<double> a = {11, 11.1, 10.9, 11, 50, 11};
  const std::vector<double> b = {10, 10.1, 9.9, 10, 10, 40};
  const RatioEstimate estimate = compare_apart(a, b, 0.95, 1);
  CHECK(estimate.ratio == Approx(1.1));
  CHECK(estimate.interval.low <= 1.1);
  CHECK(estimate.interval.high >= 1.1);
}

TEST_CASE("One round tells nothing") {
  const std::vector<double> one = {1};
  CHECK(std::isinf(compare_paired(one, one, 0.95, 1).interval.high));
  CHECK_FALSE(compare_paired({}, {}, 0.95, 1).is_significant());
  CHECK(judge_ratio(compare_paired(one, one, 0.95, 1), 0.05) == RegressionVerdict::inconclusive);
}

TEST_CASE("The noise floor is what two equal measurements differ by") {
  RandomBits random(11);
  int below = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> one(60);
    std::vector<double> other(60);
    for (double& value : one) value = 10 + random.unit();
    for (double& value : other) value = 10 + random.unit();
    const double difference = std::abs(median_of(one) / median_of(other) - 1);
    below += difference <= noise_floor(one, 1) ? 1 : 0;
  }
  CHECK(below > 160);
  CHECK(noise_floor(std::vector<double>(20, 3.0), 1) == 0);
}

TEST_CASE("A regression is both significant and above the threshold") {
  const auto judged = [](double ratio, double low, double high, double floor = 0) {
    return judge_ratio({ratio, {low, high}, floor}, 0.05);
  };
  CHECK(judged(1.08, 1.06, 1.10) == RegressionVerdict::regressed);
  CHECK(judged(1.08, 1.02, 1.15) == RegressionVerdict::regressed);
  CHECK(judged(1.08, 0.98, 1.20) == RegressionVerdict::inconclusive);
  CHECK(judged(1.08, 1.06, 1.10, 0.09) == RegressionVerdict::inconclusive);
  CHECK(judged(1.03, 1.02, 1.04) == RegressionVerdict::pass);
  CHECK(judged(1.00, 0.99, 1.01) == RegressionVerdict::pass);
  CHECK(judged(1.02, 0.95, 1.09) == RegressionVerdict::inconclusive);
  CHECK(judged(0.80, 0.70, 0.90) == RegressionVerdict::pass);
}

TEST_CASE("A slowdown that only half of the rounds show is no regression") {
  std::vector<double> a(40, 11.0);
  const std::vector<double> b(40, 10.0);
  const auto judged = [&] { return judge_paired(compare_paired(a, b, 0.99, 1), a, b, 0.02); };
  CHECK(judged() == RegressionVerdict::regressed);
  for (std::size_t i = 0; i < 18; ++i) a[i] = 10;
  CHECK(compare_paired(a, b, 0.99, 1).ratio > 1.02);
  CHECK(judged() == RegressionVerdict::inconclusive);
}

TEST_CASE("A bound is kept, broken, or not to be told") {
  CHECK(judge_bound({9, 10}, 12) == RegressionVerdict::pass);
  CHECK(judge_bound({13, 14}, 12) == RegressionVerdict::regressed);
  CHECK(judge_bound({11, 13}, 12) == RegressionVerdict::inconclusive);
  CHECK(name_of(RegressionVerdict::fresh) == "new");
}
