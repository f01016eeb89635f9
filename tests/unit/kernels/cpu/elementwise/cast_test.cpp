// Casts between element types at their limits, and selection between two tensors.
#include "kernels/cpu/elementwise/cast.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/types/fp16_bits.hpp"
#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

template <typename To, typename From>
std::vector<To> converted(DataType from, const std::vector<From>& in, DataType to) {
  Workers workers;
  std::vector<To> out(in.size());
  cast(from, in.data(), to, out.data(), static_cast<std::int64_t>(in.size()), workers);
  return out;
}

TEST_CASE("floats truncate to integers, saturate, and NaN becomes 0") {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> in = {
      1.9F, -1.9F, 3e9F, -3e9F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
      1e30F};
  const std::int32_t high = std::numeric_limits<std::int32_t>::max();
  const std::int32_t low = std::numeric_limits<std::int32_t>::min();
  CHECK(converted<std::int32_t>(DataType::float32, in, DataType::int32) ==
        std::vector<std::int32_t>{1, -1, high, low, high, low, 0, high});
  CHECK(converted<std::uint8_t>(DataType::float32, in, DataType::uint8) ==
        std::vector<std::uint8_t>{1, 0, 255, 0, 255, 0, 0, 255});
  const auto wide = converted<std::int64_t>(DataType::float32, in, DataType::int64);
  CHECK(wide[7] == std::numeric_limits<std::int64_t>::max());
  CHECK(wide[3] == -3000000000);
  const auto unsigned_wide = converted<std::uint64_t>(DataType::float32, in, DataType::uint64);
  CHECK(unsigned_wide[4] == std::numeric_limits<std::uint64_t>::max());
  CHECK(unsigned_wide[5] == 0);
}

TEST_CASE("integers wrap, and anything but zero is true") {
  CHECK(converted<std::int8_t>(DataType::int64, std::vector<std::int64_t>{300, -129},
                               DataType::int8) == std::vector<std::int8_t>{44, 127});
  const std::vector<float> floats = {0.0F, -0.0F, 0.1F, std::numeric_limits<float>::quiet_NaN()};
  CHECK(converted<std::uint8_t>(DataType::float32, floats, DataType::boolean) ==
        std::vector<std::uint8_t>{0, 0, 1, 1});
}

TEST_CASE("conversion to halves rounds once from every type") {
  // 1 + 2^-11 + 2^-40 lies just above the midpoint: rounding through float32 would lose that.
  const std::vector<double> in = {1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-11 - 0x1p-40,
                                  -(1.0 + 0x1p-11 + 0x1p-40), 1e300};
  const auto halves = converted<Float16Bits>(DataType::float64, in, DataType::float16);
  CHECK(halves[0].bits == 0x3c01);
  CHECK(halves[1].bits == 0x3c00);
  CHECK(halves[2].bits == 0xbc01);
  CHECK(halves[3].bits == 0x7c00);
  const auto brain = converted<BFloat16Bits>(DataType::int32, std::vector<std::int32_t>{1, 257, -3},
                                             DataType::bfloat16);
  CHECK(to_float(brain[0]) == 1.0F);
  CHECK(to_float(brain[1]) == 256.0F);
  CHECK(to_float(brain[2]) == -3.0F);
  std::vector<Float16Bits> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  const auto floats = converted<float>(DataType::float16, all, DataType::float32);
  const auto back = converted<Float16Bits>(DataType::float32, floats, DataType::float16);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!std::isnan(floats[i])) REQUIRE(back[i].bits == all[i].bits);
  }
}

TEST_CASE("where chooses element by element with broadcasting") {
  const bool condition[] = {true, false};
  const std::int32_t a[] = {1, 2, 3};
  const std::int32_t b[] = {-1};
  const std::vector<std::int64_t> rows = {2, 1};
  const std::vector<std::int64_t> columns = {3};
  const std::vector<std::int64_t> one = {};
  Workers workers;
  std::int32_t out[6];
  where(condition, a, b, out, make_broadcast_plan({rows, columns, one}), 4, workers);
  CHECK(std::vector<std::int32_t>(out, out + 6) == std::vector<std::int32_t>{1, 2, 3, -1, -1, -1});
}

}  // namespace
}  // namespace ortool::cpu
