// NaN and infinities in tensors: counted, and the first one's position.
#include "libcore/tensor/not_finite.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST_CASE("the first element that is not finite is told by its index in each dimension") {
  const NonFiniteCount found =
      find_not_finite(Tensor::of<float>({2, 1, 3}, {0, 1, 2, 3, -infinity, NAN}));
  CHECK(found.nan_count == 1);
  CHECK(found.infinity_count == 1);
  CHECK(found.position == std::vector<std::int64_t>{1, 0, 1});
  CHECK(found.to_string() == "-inf at [1, 0, 1], the first of 2 such elements");
  CHECK(find_not_finite(Tensor::of<float>({1}, {NAN})).to_string() == "NaN at [0]");
}

TEST_CASE("finite numbers, integers and empty tensors hold none; magnitudes beyond float32 do") {
  CHECK(find_not_finite(Tensor::of<float>({3}, {0, -1, 3e38F})).count() == 0);
  CHECK(find_not_finite(Tensor::of<std::int64_t>({1}, {1})).count() == 0);
  CHECK(find_not_finite(Tensor(DataType::float32, Shape({0, 4}))).count() == 0);
  CHECK(find_not_finite(Tensor::of<double>({1}, {1e300})).to_string() == "1e+300 at [0]");
}

}  // namespace
}  // namespace ortool
