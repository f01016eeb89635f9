// Steady state: where warm-up ends in flat, falling, stepping and noisy series.
#include "libcore/measure/steady_state.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/random_bits.hpp"

using namespace ortool;

TEST_CASE("A series without a trend is steady from its beginning") {
  RandomBits random(1);
  std::vector<double> samples(64);
  for (double& sample : samples) sample = 10 + 0.5 * random.unit();
  const SteadyState state = find_steady_state(samples);
  CHECK(state.is_steady);
  CHECK(state.warmup == 0);
}

TEST_CASE("A slow beginning is cut off") {
  RandomBits random(2);
  std::vector<double> samples(160);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = (i < 40 ? 20 : 10) + 0.1 * random.unit();
  }
  const SteadyState state = find_steady_state(samples);
  CHECK(state.is_steady);
  CHECK(state.warmup >= 20);
  CHECK(state.warmup <= 60);
}

TEST_CASE("A series that goes on falling is not steady") {
  std::vector<double> samples(100);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = 200 - static_cast<double>(i);
  CHECK_FALSE(find_steady_state(samples).is_steady);
  CHECK(drift_of(samples) < -0.2);
}

TEST_CASE("Single slow runs do not keep a series from being steady") {
  std::vector<double> samples(64, 5.0);
  for (std::size_t i = 3; i < samples.size(); i += 9) samples[i] = 500;
  CHECK(find_steady_state(samples).is_steady);
}

TEST_CASE("Too few samples are not steady, whatever they are") {
  CHECK_FALSE(find_steady_state(std::vector<double>(7, 1.0)).is_steady);
  CHECK(find_steady_state(std::vector<double>(8, 1.0)).is_steady);
  CHECK_FALSE(find_steady_state({}).is_steady);
}
