// Binary operators with broadcasting against index arithmetic, element by element.
#include "kernels/cpu/elementwise/binary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/error.hpp"
#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

__extension__ typedef __int128 WideInteger;
using Shape = std::vector<std::int64_t>;

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

/// The index in the operand of `shape` that output element `index` of `out` reads.
std::size_t source_of(std::int64_t index, const Shape& out, const Shape& shape) {
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t position = index % out[out.size() - 1 - i];
    index /= out[out.size() - 1 - i];
    if (i >= shape.size()) continue;
    const std::int64_t size = shape[shape.size() - 1 - i];
    if (size != 1) offset += position * stride;
    stride *= size;
  }
  return static_cast<std::size_t>(offset);
}

struct ShapePair {
  Shape a;
  Shape b;
};

const std::vector<ShapePair>& shape_pairs() {
  static const std::vector<ShapePair> list = {
      {{}, {}},
      {{7}, {}},
      {{}, {33}},
      {{0}, {1}},
      {{3, 0, 2}, {2}},
      {{5, 129}, {5, 129}},
      {{5, 129}, {129}},
      {{5, 129}, {5, 1}},
      {{5, 1}, {1, 17}},
      {{2, 3, 1, 5}, {3, 4, 1}},
      {{1, 1, 6, 1, 1}, {2, 6, 1, 3}},
      {{2, 1, 3, 1, 2, 1}, {1, 2, 1, 3, 1, 2}},
      {{300, 301}, {301}},
      {{3, 40, 16}, {3, 1, 16}},
      {{2, 1, 5}, {2, 901, 5}},
      {{2, 3, 450, 16}, {2, 3, 1, 16}},
      {{1300, 31}, {31}},
      {{1}, {70001}},
  };
  return list;
}

TEST_CASE("a broadcast plan joins dimensions and keeps the innermost loop long") {
  const Shape a = {2, 3, 4, 5};
  const Shape same = {2, 3, 4, 5};
  CHECK(make_broadcast_plan(a, same).loops.size() == 1);
  const Shape row = {4, 5};
  const BroadcastPlan rows = make_broadcast_plan(a, row);
  REQUIRE(rows.loops.size() == 2);
  CHECK(rows.loops[0].size == 6);
  CHECK(rows.loops[1].size == 20);
  CHECK(rows.loops[0].strides[1] == 0);
  const Shape channel = {3, 1, 1};
  const BroadcastPlan channels = make_broadcast_plan(a, channel);
  REQUIRE(channels.loops.size() == 3);
  CHECK(channels.loops[2].strides[1] == 0);
  CHECK(channels.shape == a);
  const Shape wrong = {3, 5};
  CHECK_THROWS_AS(make_broadcast_plan(a, wrong), Error);
  const Shape huge = {std::int64_t{1} << 30, 1};
  const Shape wide = {1, std::int64_t{1} << 30};
  CHECK_THROWS_AS(make_broadcast_plan(huge, wide), Error);
}

TEST_CASE(
    "floats combine element by element for every broadcast, instruction set and thread count") {
  struct Case {
    BinaryOp op;
    std::function<float(float, float)> exact;
  };
  const Case cases[] = {
      {BinaryOp::add, [](float x, float y) { return x + y; }},
      {BinaryOp::subtract, [](float x, float y) { return x - y; }},
      {BinaryOp::multiply, [](float x, float y) { return x * y; }},
      {BinaryOp::divide, [](float x, float y) { return x / y; }},
      {BinaryOp::minimum, [](float x, float y) { return std::min(x, y); }},
      {BinaryOp::maximum, [](float x, float y) { return std::max(x, y); }},
      {BinaryOp::remainder, [](float x, float y) { return std::fmod(x, y); }},
      {BinaryOp::modulo, [](float x, float y) { return x - y * std::floor(x / y); }},
      {BinaryOp::prelu, [](float x, float y) { return x < 0 ? x * y : x; }},
  };
  for (const ShapePair& shapes : shape_pairs()) {
    const BroadcastPlan plan = make_broadcast_plan(shapes.a, shapes.b);
    const auto a = test::random_floats(count_of(shapes.a), 1);
    const auto b = test::random_floats(count_of(shapes.b), 2);
    for (const test::IsaAndThreads& setting : test::isas_and_threads()) {
      for (const Case& test_case : cases) {
        std::vector<float> out(static_cast<std::size_t>(plan.count) + 1, 42.0F);
        binary(test_case.op, DataType::float32, a.data(), b.data(), out.data(), plan,
               *setting.workers, setting.isa);
        CHECK(out.back() == 42.0F);
        for (std::int64_t i = 0; i < plan.count; ++i) {
          const float x = a[source_of(i, plan.shape, shapes.a)];
          const float y = b[source_of(i, plan.shape, shapes.b)];
          const float expected = test_case.exact(x, y);
          const float found = out[static_cast<std::size_t>(i)];
          if (test_case.op == BinaryOp::modulo ? std::abs(found - expected) > 1e-5F
                                               : found != expected) {
            FAIL_CHECK(static_cast<int>(test_case.op)
                       << " at " << i << ": " << found << " " << expected);
            break;
          }
        }
      }
    }
  }
}

TEST_CASE("NaN passes through minimum and maximum from either side") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> a(37, 1.0F);
  std::vector<float> b(37, 2.0F);
  a[5] = nan;
  b[30] = nan;
  std::vector<float> out(37);
  const Shape shape = {37};
  Workers workers;
  for (const Isa isa : test::available_isas()) {
    for (const BinaryOp op : {BinaryOp::minimum, BinaryOp::maximum}) {
      binary(op, DataType::float32, a.data(), b.data(), out.data(),
             make_broadcast_plan(shape, shape), workers, isa);
      for (std::size_t i = 0; i < out.size(); ++i) {
        CHECK(std::isnan(out[i]) == (i == 5 || i == 30));
      }
    }
  }
}

TEST_CASE("remainders of floats are exact, as fmod has them") {
  const std::uint32_t seed = 91;
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<float> a = {0.0F, -0.0F, 6.0F, -6.0F, 5.5F, -5.5F, INFINITY, 1.0F, NAN, 2.0F};
  std::vector<float> b = {3.0F, 3.0F, 3.0F, 3.0F, -2.0F, 2.0F, 2.0F, INFINITY, 1.0F, 0.0F};
  std::uniform_int_distribution<std::uint32_t> bits;
  for (int i = 0; i < 20000; ++i) {
    // Any two floats, of like magnitude, and multiples.
    a.push_back(std::bit_cast<float>(bits(random)));
    b.push_back(std::bit_cast<float>(bits(random)));
    a.push_back(std::bit_cast<float>((bits(random) & 0x83ffffffU) | 0x40000000U));
    b.push_back(std::bit_cast<float>((bits(random) & 0x83ffffffU) | 0x3e000000U));
    b.push_back(std::bit_cast<float>((bits(random) & 0x807fffffU) | 0x3f800000U));
    a.push_back(b.back() * static_cast<float>(bits(random) % 3000));
  }
  const Shape shape = {static_cast<std::int64_t>(a.size())};
  Workers workers;
  for (const Isa isa : test::available_isas()) {
    std::vector<float> out(a.size());
    binary(BinaryOp::remainder, DataType::float32, a.data(), b.data(), out.data(),
           make_broadcast_plan(shape, shape), workers, isa);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const float expected = std::fmod(a[i], b[i]);
      const bool is_same = std::isnan(expected) ? std::isnan(out[i])
                                                : std::bit_cast<std::uint32_t>(expected) ==
                                                      std::bit_cast<std::uint32_t>(out[i]);
      if (!is_same && wrong++ == 0) {
        CAPTURE(a[i], b[i], out[i], expected);
        CHECK(is_same);
      }
    }
    CHECK(wrong == 0);
  }
}

template <typename T>
void check_integers(DataType type) {
  using Limits = std::numeric_limits<T>;
  const T low = Limits::min();
  const T high = Limits::max();
  const std::vector<T> a = {low, high, 7, static_cast<T>(-7), low, high, 0, 5, 100};
  const std::vector<T> b = {static_cast<T>(-1), 1, 3, 3, std::max(low, T{2}), high, 5,
                            static_cast<T>(-3), 9};
  const Shape shape = {static_cast<std::int64_t>(a.size())};
  const BroadcastPlan plan = make_broadcast_plan(shape, shape);
  Workers workers;
  for (const Isa isa : test::available_isas()) {
    const auto apply = [&](BinaryOp op) {
      std::vector<T> out(a.size());
      binary(op, type, a.data(), b.data(), out.data(), plan, workers, isa);
      return out;
    };
    const auto sum = apply(BinaryOp::add);
    const auto product = apply(BinaryOp::multiply);
    const auto quotient = apply(BinaryOp::divide);
    const auto remainder = apply(BinaryOp::remainder);
    const auto modulo = apply(BinaryOp::modulo);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto wide_a = static_cast<WideInteger>(a[i]);
      const auto wide_b = static_cast<WideInteger>(b[i]);
      CHECK(sum[i] == static_cast<T>(wide_a + wide_b));
      CHECK(product[i] == static_cast<T>(wide_a * wide_b));
      CHECK(quotient[i] == static_cast<T>(wide_a / wide_b));
      CHECK(remainder[i] == static_cast<T>(wide_a % wide_b));
      const WideInteger rest = wide_a % wide_b;
      CHECK(modulo[i] ==
            static_cast<T>(rest != 0 && (rest < 0) != (wide_b < 0) ? rest + wide_b : rest));
    }
    std::vector<T> zeros(a.size(), 1);
    zeros[6] = 0;
    std::vector<T> out(a.size());
    for (const BinaryOp op : {BinaryOp::divide, BinaryOp::modulo, BinaryOp::remainder}) {
      CHECK_THROWS_AS(binary(op, type, a.data(), zeros.data(), out.data(), plan, workers, isa),
                      Error);
    }
  }
}

TEST_CASE("integers of every width wrap, divide toward zero and refuse a zero divisor") {
  check_integers<std::int8_t>(DataType::int8);
  check_integers<std::int16_t>(DataType::int16);
  check_integers<std::int32_t>(DataType::int32);
  check_integers<std::int64_t>(DataType::int64);
  check_integers<std::uint8_t>(DataType::uint8);
  check_integers<std::uint16_t>(DataType::uint16);
  check_integers<std::uint32_t>(DataType::uint32);
  check_integers<std::uint64_t>(DataType::uint64);
}

TEST_CASE("bits combine, and a shift by the width or more gives nothing") {
  const std::vector<std::uint8_t> a = {1, 255, 128, 3, 3};
  const std::vector<std::uint8_t> b = {1, 7, 8, 255, 2};
  const Shape shape = {5};
  const BroadcastPlan plan = make_broadcast_plan(shape, shape);
  Workers workers;
  for (const Isa isa : test::available_isas()) {
    const auto apply = [&](BinaryOp op) {
      std::vector<std::uint8_t> out(a.size());
      binary(op, DataType::uint8, a.data(), b.data(), out.data(), plan, workers, isa);
      return std::vector<int>(out.begin(), out.end());
    };
    CHECK(apply(BinaryOp::shift_left) == std::vector<int>{2, 128, 0, 0, 12});
    CHECK(apply(BinaryOp::shift_right) == std::vector<int>{0, 1, 0, 0, 0});
    CHECK(apply(BinaryOp::bit_and) == std::vector<int>{1, 7, 0, 3, 2});
    CHECK(apply(BinaryOp::bit_or) == std::vector<int>{1, 255, 136, 255, 3});
    CHECK(apply(BinaryOp::bit_xor) == std::vector<int>{0, 248, 136, 252, 1});
    std::uint64_t wide[] = {1, 1, 1};
    const std::uint64_t by[] = {63, 64, std::uint64_t{1} << 40};
    const Shape three = {3};
    binary(BinaryOp::shift_left, DataType::uint64, wide, by, wide,
           make_broadcast_plan(three, three), workers, isa);
    CHECK(wide[0] == std::uint64_t{1} << 63);
    CHECK(wide[1] == 0);
    CHECK(wide[2] == 0);
  }
}

TEST_CASE("comparisons give 0 or 1, and NaN is equal to nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a = {1, 2, 3, nan};
  const std::vector<float> b = {2, 2, 2, nan};
  const Shape shape = {4};
  const BroadcastPlan plan = make_broadcast_plan(shape, shape);
  Workers workers;
  for (const Isa isa : test::available_isas()) {
    const auto apply = [&](Comparison comparison) {
      bool out[4];
      compare(comparison, DataType::float32, a.data(), b.data(), out, plan, workers, isa);
      return std::vector<bool>(out, out + 4);
    };
    CHECK(apply(Comparison::equal) == std::vector<bool>{false, true, false, false});
    CHECK(apply(Comparison::less) == std::vector<bool>{true, false, false, false});
    CHECK(apply(Comparison::greater) == std::vector<bool>{false, false, true, false});
    CHECK(apply(Comparison::less_or_equal) == std::vector<bool>{true, true, false, false});
    CHECK(apply(Comparison::greater_or_equal) == std::vector<bool>{false, true, true, false});
  }
}

TEST_CASE("halves are combined in float32 and rounded once, also in place") {
  const auto floats = test::random_floats(1500, 8);
  std::vector<Float16Bits> a(1500);
  std::vector<Float16Bits> b(3);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = to_float16(floats[i]);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = to_float16(floats[i] * 3.0F);
  const std::vector<Float16Bits> before = a;
  const Shape shape_a = {3, 500};
  const Shape shape_b = {3, 1};
  Workers workers;
  binary(BinaryOp::multiply, DataType::float16, a.data(), b.data(), a.data(),
         make_broadcast_plan(shape_a, shape_b), workers, best_isa());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].bits == to_float16(to_float(before[i]) * to_float(b[i / 500])).bits);
  }
}

TEST_CASE("powers of every pair of types") {
  Workers workers;
  const Shape three = {3};
  const Shape one = {1};
  const std::int32_t base[] = {-3, 2, 1 << 20};
  std::int32_t out[3];
  const std::int64_t exponents[] = {3, -1, 2};
  power(DataType::int32, DataType::int64, base, exponents, out, make_broadcast_plan(three, three),
        workers);
  CHECK(std::vector<int>(out, out + 3) == std::vector<int>{-27, 0, 0});
  const float half[] = {0.5F};
  power(DataType::int32, DataType::float32, base, half, out, make_broadcast_plan(three, one),
        workers);
  CHECK(std::vector<int>(out, out + 3) == std::vector<int>{0, 1, 1024});
  const float floats[] = {1.5F, -2.0F, 4.0F};
  float found[3];
  const std::int32_t cube[] = {3};
  power(DataType::float32, DataType::int32, floats, cube, found, make_broadcast_plan(three, one),
        workers);
  CHECK(std::vector<float>(found, found + 3) == std::vector<float>{3.375F, -8.0F, 64.0F});
  power(DataType::float32, DataType::float32, floats, half, found, make_broadcast_plan(three, one),
        workers);
  CHECK(found[2] == 2.0F);
  CHECK(std::isnan(found[1]));
}

}  // namespace
}  // namespace ortool::cpu
