// Split of samples for fitting and evaluation.
#include "libcore/quantize/calibrate/sample_split.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

using Samples = std::vector<std::int64_t>;

TEST_CASE("below four samples all of them fit and judge") {
  const SampleSplit split = split_samples(3);
  CHECK_FALSE(split.is_apart);
  CHECK(split.fitting == Samples{0, 1, 2});
  CHECK(split.judging == Samples{0, 1, 2});
  CHECK(split_samples(0).judging.empty());
}

TEST_CASE("of four to nineteen samples every third judges and does nothing else") {
  const SampleSplit four = split_samples(4);
  CHECK(four.is_apart);
  CHECK(four.judging == Samples{2});
  CHECK(four.fitting == Samples{0, 1, 3});
  const SampleSplit ten = split_samples(10);
  CHECK(ten.judging == Samples{2, 5, 8});
  CHECK(ten.fitting == Samples{0, 1, 3, 4, 6, 7, 9});
  CHECK(split_samples(19).judging.size() == 6);
}

TEST_CASE("from twenty samples on every fifth judges and does nothing else") {
  const SampleSplit split = split_samples(20);
  CHECK(split.is_apart);
  CHECK(split.judging == Samples{4, 9, 14, 19});
  CHECK(split.fitting.size() == 16);
  for (const std::int64_t sample : split.judging)
    CHECK(std::find(split.fitting.begin(), split.fitting.end(), sample) == split.fitting.end());
}

TEST_CASE("however many samples there are, at most 128 fit and 32 judge") {
  const SampleSplit split = split_samples(1000);
  CHECK(split.fitting.size() == 128);
  CHECK(split.judging.size() == 32);
  CHECK(split.fitting.back() == 158);
  CHECK(split.judging.back() == 159);
  CHECK(added_to_fitting(1000).empty());
  CHECK(added_to_fitting(140).size() == 16);
  CHECK(added_to_fitting(30) == Samples{4, 9, 14, 19, 24, 29});
  CHECK(added_to_fitting(10) == Samples{2, 5, 8});
  CHECK(added_to_fitting(2).empty());
}

}  // namespace
}  // namespace ortool
