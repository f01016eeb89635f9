// Casts between element types at their limits, and selection between two tensors.
#include "kernels/cpu/elementwise/cast.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/isa/levels.hpp"
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

std::vector<Isa> isas_here() {
  std::vector<Isa> isas;
  for (const Isa isa : supported_isas()) {
    if (isa != Isa::amx) isas.push_back(isa);
  }
  return isas;
}

/// Floats around every bound of integers, and any.
std::vector<float> edge_floats() {
  std::vector<float> all = test::random_floats(300, 5, -3e9F, 3e9F);
  for (const float bound : {0.0F, 1.0F, 127.0F, 128.0F, 255.0F, 256.0F, 0x1p31F, 0x1p63F}) {
    for (const float sign : {1.0F, -1.0F}) {
      for (const float toward : {-INFINITY, INFINITY})
        all.push_back(std::nextafter(sign * bound, toward));
      all.push_back(sign * bound);
      all.push_back(sign * bound + 0.5F);
    }
  }
  for (const float each : {INFINITY, -INFINITY, NAN, -NAN}) all.push_back(each);
  return all;
}

template <typename From>
void check_levels(DataType from, const std::vector<From>& in) {
  Workers workers;
  const auto count = static_cast<std::int64_t>(in.size());
  for (const DataType to :
       {DataType::boolean, DataType::float32, DataType::int8, DataType::int32, DataType::int64,
        DataType::uint8, DataType::uint16, DataType::float64}) {
    const std::size_t bytes = in.size() * static_cast<std::size_t>(element_bits(to) / 8);
    std::vector<std::uint8_t> expected(bytes);
    cast(from, in.data(), to, expected.data(), count, workers, Isa::baseline);
    for (const Isa isa : isas_here()) {
      CAPTURE(isa_name(isa), name_of(from), name_of(to));
      std::vector<std::uint8_t> found(bytes);
      cast(from, in.data(), to, found.data(), count, workers, isa);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("casts give the same bits at every instruction set level") {
  const std::vector<float> floats = edge_floats();
  check_levels(DataType::float32, floats);
  std::vector<std::int64_t> wide = {0, -1, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 1 << 24};
  for (const float each : test::random_floats(300, 6, -9e18F, 9e18F))
    wide.push_back(static_cast<std::int64_t>(each));
  check_levels(DataType::int64, wide);
  check_levels(DataType::int32, std::vector<std::int32_t>(wide.begin(), wide.end()));
  check_levels(DataType::int8, std::vector<std::int8_t>(wide.begin(), wide.end()));
  check_levels(DataType::uint8, std::vector<std::uint8_t>(wide.begin(), wide.end()));
  check_levels(DataType::boolean, std::vector<std::uint8_t>{0, 1, 1, 0, 1});
}

template <typename T>
void check_where(const std::vector<std::int64_t>& a_shape, const std::vector<std::int64_t>& b_shape,
                 const std::vector<std::int64_t>& condition_shape) {
  const auto count_of = [](const std::vector<std::int64_t>& shape) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    return count;
  };
  std::vector<T> a(count_of(a_shape));
  std::vector<T> b(count_of(b_shape));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i * 2);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i * 2 + 1);
  const auto condition = std::make_unique<bool[]>(count_of(condition_shape));
  for (std::size_t i = 0; i < count_of(condition_shape); ++i) condition[i] = i % 3 == 0;
  const BroadcastPlan plan = make_broadcast_plan({condition_shape, a_shape, b_shape});
  const auto size = static_cast<std::size_t>(plan.count);
  Workers workers;
  std::vector<T> expected(size);
  where(condition.get(), a.data(), b.data(), expected.data(), plan, sizeof(T), workers);
  for (const Isa isa : isas_here()) {
    CAPTURE(isa_name(isa), sizeof(T));
    std::vector<T> found(size);
    where(condition.get(), a.data(), b.data(), found.data(), plan, sizeof(T), workers, isa);
    CHECK(found == expected);
    if (a.size() != size) continue;
    std::vector<T> in_place = a;
    where(condition.get(), in_place.data(), b.data(), in_place.data(), plan, sizeof(T), workers,
          isa);
    CHECK(in_place == expected);
  }
}

TEST_CASE("where gives the same elements at every instruction set level, and in place") {
  for (const auto& [a, b, condition] :
       std::vector<std::array<std::vector<std::int64_t>, 3>>{{{{5, 37}, {5, 37}, {5, 37}}},
                                                             {{{5, 37}, {37}, {5, 37}}},
                                                             {{{5, 37}, {1}, {5, 37}}},
                                                             {{{1}, {5, 37}, {5, 37}}},
                                                             {{{5, 1}, {1, 37}, {5, 37}}},
                                                             {{{5, 37}, {5, 37}, {5, 1}}}}) {
    check_where<std::uint16_t>(a, b, condition);
    check_where<std::uint32_t>(a, b, condition);
    check_where<std::uint64_t>(a, b, condition);
  }
}

}  // namespace
}  // namespace ortool::cpu
