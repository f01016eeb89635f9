// Weighted sums of gathered elements: every ISA level gives the bits of a scalar loop.
#include "kernels/cpu/isa/gather_sum.hpp"

#include <catch2/catch.hpp>

#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

TEST_CASE("weighted sums of gathered numbers have the same bits on every level") {
  const auto from = test::random_floats(97, 1);
  for (const std::int64_t count : {0, 1, 7, 8, 15, 16, 17, 33, 100}) {
    for (const std::int64_t taps : {1, 2, 4, 16}) {
      const std::int64_t stride = count + 3;
      const auto index = test::random_integers<std::int32_t>(taps * stride, 2, -20, 96);
      const auto weight = test::random_floats(taps * stride, 3);
      std::vector<float> expected(static_cast<std::size_t>(count) + 1, 42.0F);
      for (std::int64_t i = 0; i < count; ++i) {
        float sum = 0;
        for (std::int64_t tap = 0; tap < taps; ++tap) {
          const auto at = static_cast<std::size_t>(tap * stride + i);
          if (index[at] >= 0) sum += weight[at] * from[static_cast<std::size_t>(index[at])];
        }
        expected[static_cast<std::size_t>(i)] = sum;
      }
      for (const Isa isa : test::available_isas()) {
        std::vector<float> found(expected.size(), 42.0F);
        gather_sum_function(isa)({.from = from.data(),
                                  .index = index.data(),
                                  .weight = weight.data(),
                                  .taps = taps,
                                  .stride = stride,
                                  .count = count,
                                  .out = found.data()});
        INFO(count << " sums of " << taps);
        CHECK(test::same_bits(found, expected));
      }
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
