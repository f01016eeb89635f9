// Metrics: ranks, ratios with confidence intervals, and splitting batches into samples.
#include "libcore/dataset/metric.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/dataset/batch.hpp"

namespace ortool {
namespace {

TEST_CASE("Wilson's interval is that of the textbooks", "[metric]") {
  Score score(Metric::top1);
  CHECK_FALSE(score.interval());
  for (int i = 0; i < 10; ++i) score.add(i < 8 ? 1 : 0);
  REQUIRE(score.interval());
  CHECK(score.value() == Approx(0.8));
  CHECK(score.interval()->first == Approx(0.4902).margin(1e-4));
  CHECK(score.interval()->second == Approx(0.9433).margin(1e-4));
  Score all(Metric::top5);
  for (int i = 0; i < 5; ++i) all.add(1);
  CHECK(all.interval()->second == 1);
  CHECK(all.interval()->first == Approx(0.5655).margin(1e-4));
}

TEST_CASE("a label is among the best by rank; of equal scores the first counts", "[metric]") {
  const Tensor row =
      Tensor::of<float>(Shape{1, 4}, {1, 3, 3, std::numeric_limits<float>::quiet_NaN()});
  CHECK(is_among_top(row, 1, 1));
  CHECK_FALSE(is_among_top(row, 2, 1));
  CHECK(is_among_top(row, 2, 2));
  CHECK_FALSE(is_among_top(row, 3, 5));
  CHECK_THROWS_AS(is_among_top(row, 4, 1), Error);
  CHECK_THROWS_AS(is_among_top(row, -1, 1), Error);
  CHECK(is_among_top(Tensor::of<std::int64_t>(Shape{1}, {7}), 7, 1));
  CHECK(ranks_classes(Tensor(DataType::float32, Shape{3, 10}), 3));
  CHECK_FALSE(ranks_classes(Tensor(DataType::float32, Shape{3, 2, 10}), 3));
  CHECK(ranks_classes(Tensor(DataType::int64, Shape{3}), 3));
}

TEST_CASE("samples put together come apart as they were", "[metric]") {
  std::vector<Sample> samples;
  for (float each = 0; each < 3; ++each) {
    samples.push_back({"", {{"x", Tensor::of<float>(Shape{1, 2}, {each, -each})}}, {}, {}});
  }
  CHECK(fits_batch(samples[0], samples[2]));
  const NamedValues joined = join_inputs(samples);
  CHECK(joined.front().second.tensor().shape() == Shape{3, 2});
  REQUIRE(has_rows(joined.front().second, 3));
  const RunValue row = row_of(joined.front().second, 2, 3);
  CHECK(row.tensor().shape() == Shape{1, 2});
  CHECK(row.tensor().data<float>()[1] == -2);
  const Sample larger{"", {{"x", Tensor(DataType::float32, Shape{2, 2})}}, {}, {}};
  CHECK_FALSE(fits_batch(samples[0], larger));
  CHECK_FALSE(fits_batch(larger, larger));
}

}  // namespace
}  // namespace ortool
