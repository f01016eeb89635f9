// Scales and zero points: formulas, symmetric and reduced types, and degenerate ranges.
#include "libcore/quantize/scheme/choose_scale.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using namespace ortool;

namespace {

constexpr QuantizationType uint8_type{DataType::uint8, false, false};
constexpr QuantizationType int8_symmetric{DataType::int8, true, false};

}  // namespace

TEST_CASE("Levels are those of the type, as many on either side where it is symmetric") {
  CHECK(code_range_of(uint8_type) == CodeRange{0, 255});
  CHECK(code_range_of({DataType::int8, false, false}) == CodeRange{-128, 127});
  CHECK(code_range_of(int8_symmetric) == CodeRange{-127, 127});
  CHECK(code_range_of({DataType::uint8, true, false}) == CodeRange{1, 255});
  CHECK(code_range_of({DataType::int4, true, false}) == CodeRange{-7, 7});
  CHECK(code_range_of({DataType::uint4, false, false}) == CodeRange{0, 15});
  CHECK(code_range_of({DataType::int16, true, false}) == CodeRange{-32767, 32767});
  CHECK(code_range_of({DataType::uint16, false, false}) == CodeRange{0, 65535});
  CHECK(code_range_of({DataType::uint8, false, true}) == CodeRange{0, 127});
  CHECK(code_range_of({DataType::int8, true, true}) == CodeRange{-64, 64});
  CHECK_THROWS_AS(code_range_of({DataType::int32, false, false}), Error);
  CHECK_THROWS_AS(code_range_of({DataType::float32, false, false}), Error);
  CHECK_THROWS_AS(code_range_of({DataType::int4, false, true}), Error);
}

TEST_CASE("A scale spreads all levels over the range") {
  const Scale scale = choose_scale({-1, 4}, uint8_type);
  CHECK(scale.scale == static_cast<float>(5.0 / 255));
  CHECK(scale.zero_point == 51);
  CHECK(choose_scale({-3, 2}, int8_symmetric) == Scale{static_cast<float>(3.0 / 127), 0});
  CHECK(choose_scale({-3, 2}, {DataType::uint8, true, false}).zero_point == 128);
  CHECK(choose_scale({0, 1}, {DataType::int8, false, false}).zero_point == -128);
}

TEST_CASE("A range that lies to one side of zero is widened to hold it") {
  CHECK(choose_scale({2, 4}, uint8_type) == choose_scale({0, 4}, uint8_type));
  CHECK(choose_scale({-4, -2}, uint8_type) == Scale{static_cast<float>(4.0 / 255), 255});
}

TEST_CASE("Zero is a level whatever the range") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-10, 10);
  for (int i = 0; i < 1000; ++i) {
    const double a = number(random);
    const double b = number(random);
    const Scale scale = choose_scale({std::min(a, b), std::max(a, b)}, uint8_type);
    const CodeRange codes = code_range_of(uint8_type);
    REQUIRE(scale.zero_point >= codes.lowest);
    REQUIRE(scale.zero_point <= codes.highest);
    REQUIRE(to_code(0, scale, codes) == scale.zero_point);
  }
}

TEST_CASE("Ranges of nothing, of almost nothing and of everything have usable scales") {
  CHECK(choose_scale({0, 0}, uint8_type) == Scale{1, 0});
  CHECK(choose_scale({0, 0}, {DataType::uint8, true, false}) == Scale{1, 128});
  const Scale tiny = choose_scale({0, 1e-44}, uint8_type);
  CHECK(tiny.scale == std::numeric_limits<float>::min());
  const Scale huge = choose_scale({-3.4e38, 3.4e38}, int8_symmetric);
  CHECK(std::isfinite(huge.scale));
  CHECK(to_code(3.4e38F, huge, code_range_of(int8_symmetric)) == 127);
  CHECK(std::isfinite(choose_scale({-3.4e38, 3.4e38}, {DataType::int2, false, false}).scale));
}

TEST_CASE("A range that is no range is an error") {
  CHECK_THROWS_AS(choose_scale({NAN, 1}, uint8_type), Error);
  CHECK_THROWS_AS(choose_scale({0, INFINITY}, uint8_type), Error);
  CHECK_THROWS_AS(choose_scale({1, 0}, uint8_type), Error);
}

TEST_CASE("Levels round half to even and stop at the ends") {
  const CodeRange codes = code_range_of(uint8_type);
  CHECK(to_code(0.5F, {1, 0}, codes) == 0);
  CHECK(to_code(1.5F, {1, 0}, codes) == 2);
  CHECK(to_code(2.5F, {1, 10}, codes) == 12);
  CHECK(to_code(-20, {1, 10}, codes) == 0);
  CHECK(to_code(3e38F, {1e-30F, 0}, codes) == 255);
  CHECK(to_code(-INFINITY, {1, 3}, codes) == 0);
}
