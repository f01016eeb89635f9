// Feedback between steps of a decoder: the next token, a longer mask, the next position.
#include "libcore/generate/feedback.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("the next token is the highest score of the last position of each row", "[feedback]") {
  const Tensor scores = Tensor::of<float>(Shape{2, 2, 3}, {9, 0, 0, 1, 5, 2, 0, 9, 0, nan, -1, -2});
  const Tensor ids = Tensor::of<std::int64_t>(Shape{2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  const Tensor tokens = next_tokens(scores, ids);
  CHECK(tokens.type() == DataType::int64);
  CHECK(tokens.shape() == Shape{2, 1});
  CHECK(tokens.data<std::int64_t>()[0] == 1);
  CHECK(tokens.data<std::int64_t>()[1] == 1);
  // Two axes: one row per batch entry. Of equal scores, the first wins.
  const Tensor flat = Tensor::of<float>(Shape{1, 3}, {2, 7, 7});
  const Tensor one = next_tokens(flat, Tensor::of<std::int32_t>(Shape{1}, {0}));
  CHECK(one.shape() == Shape{1});
  CHECK(one.data<std::int32_t>()[0] == 1);
  CHECK_THROWS_AS(next_tokens(Tensor(DataType::float32, Shape{1, 0, 3}), ids), Error);
}

TEST_CASE("a mask grows by one in each row, positions go on from the last", "[feedback]") {
  const Tensor mask = Tensor::of<std::int64_t>(Shape{2, 2}, {1, 0, 1, 1});
  const Tensor longer = appended(mask, 1);
  CHECK(longer.shape() == Shape{2, 3});
  const std::vector<std::int64_t> found(longer.data<std::int64_t>().begin(),
                                        longer.data<std::int64_t>().end());
  CHECK(found == std::vector<std::int64_t>{1, 0, 1, 1, 1, 1});
  CHECK(appended(Tensor(DataType::float32, Shape{1, 0}), 1).data<float>()[0] == 1.0F);
  const Tensor next = counted_on(Tensor::of<std::int64_t>(Shape{2, 2}, {0, 4, 7, 8}));
  CHECK(next.shape() == Shape{2, 1});
  CHECK(next.data<std::int64_t>()[0] == 5);
  CHECK(next.data<std::int64_t>()[1] == 9);
}

}  // namespace
}  // namespace ortool
