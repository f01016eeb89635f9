// Means of blocks: intervals that cover the true mean though samples of a block are correlated.
#include "libcore/measure/sample_blocks.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/base/random_bits.hpp"

using namespace ortool;

namespace {

/// Blocks with a level of their own, and samples close to it.
SampleBlocks alike_blocks(RandomBits& random, std::size_t count, std::size_t size) {
  SampleBlocks blocks(count);
  for (auto& block : blocks) {
    const double level = 10 + random.unit();
    for (std::size_t i = 0; i < size; ++i) block.push_back(level + 0.01 * random.unit());
  }
  return blocks;
}

}  // namespace

TEST_CASE("Medians, means and variances are what their names say") {
  CHECK(median_of({3, 1, 2}) == 2);
  CHECK(median_of({4, 1, 2, 3}) == 2.5);
  CHECK(median_of({}) == 0);
  const std::vector<double> values = {1, 2, 3, 6};
  CHECK(mean_of(values) == 3);
  CHECK(variance_of(values) == Approx(14.0 / 3));
  CHECK(block_medians({{1, 2, 3}, {}, {5}}) == std::vector<double>{2, 5});
  CHECK(all_samples({{1, 2}, {3}}) == std::vector<double>{1, 2, 3});
  CHECK(count_samples({{1, 2}, {3}}) == 3);
}

TEST_CASE("The mean's interval holds the true mean though blocks have levels of their own") {
  RandomBits random(3);
  int held = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Interval interval = mean_interval(alike_blocks(random, 12, 20), 0.95);
    held += interval.low <= 10.505 && 10.505 <= interval.high ? 1 : 0;
  }
  CHECK(held > 920);
  CHECK(held < 980);
}

TEST_CASE("One block tells nothing about the mean's error") {
  CHECK(std::isinf(mean_interval({{1, 2, 3}}, 0.95).high));
}

TEST_CASE("Blocks with levels of their own are worth one sample a block, others all of theirs") {
  RandomBits random(5);
  CHECK(design_effect(alike_blocks(random, 50, 20)) == Approx(20).epsilon(0.05));
  SampleBlocks apart(50);
  for (auto& block : apart) {
    for (int i = 0; i < 20; ++i) block.push_back(random.unit());
  }
  CHECK(design_effect(apart) < 2);
  CHECK(design_effect({{1, 2, 3}}) == 1);
}
