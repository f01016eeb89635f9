// Elements known before a run: fractions and formulas that match what tensors would hold.
#include "libcore/ops/known_value.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

const Dimension height = Dimension::symbol("height");

KnownElement element_of(float number) {
  return elements_of(Tensor::scalar(number))->front();
}

double number_of(const KnownElement& element) {
  return static_cast<double>(element.numerator.number()) / static_cast<double>(element.denominator);
}

TEST_CASE("floating-point numbers are fractions of whole numbers", "[ops]") {
  CHECK(element_of(0.5F) == KnownElement(1, 2));
  CHECK(element_of(-3.0F) == KnownElement(-3));
  CHECK(element_of(0.0F) == KnownElement(0));
  CHECK(element_of(std::nanf("")).is_unknown());
  CHECK(element_of(1e30F).is_unknown());
  CHECK_FALSE(elements_of(Tensor(DataType::float16, {2})).has_value());
  CHECK_FALSE(elements_of(Tensor(DataType::int64, {2000})).has_value());
}

TEST_CASE("known numbers combine as float32 does", "[ops]") {
  std::mt19937 engine(20261121);
  std::uniform_real_distribution<float> numbers(-100.0F, 100.0F);
  for (int i = 0; i < 2000; ++i) {
    const float a = numbers(engine);
    const float b = numbers(engine);
    INFO("seed 20261121, pair " << i << ": " << a << " and " << b);
    const auto combined = [&](ElementOp op) {
      return number_of(combine(op, element_of(a), element_of(b), DataType::float32));
    };
    CHECK(combined(ElementOp::add) == static_cast<double>(a + b));
    CHECK(combined(ElementOp::multiply) == static_cast<double>(a * b));
    CHECK(combined(ElementOp::divide) == static_cast<double>(a / b));
    const KnownElement down = round(Rounding::floor, element_of(a));
    CHECK(number_of(down) == std::floor(static_cast<double>(a)));
    const KnownElement nearest = round(Rounding::nearest_even, element_of(a));
    CHECK(number_of(nearest) == std::nearbyint(static_cast<double>(a)));
    CHECK(cast(element_of(a), DataType::float32, DataType::int64) ==
          KnownElement(static_cast<std::int64_t>(a)));
  }
}

TEST_CASE("sizes times scales are formulas where the scale is a short fraction", "[ops]") {
  const auto scaled = [](float scale) {
    return combine(ElementOp::multiply, height, element_of(scale), DataType::float32);
  };
  CHECK(round(Rounding::floor, scaled(0.5F)).numerator == floor_divide(height, 2));
  CHECK(round(Rounding::ceil, scaled(1.5F)).numerator == ceil_divide(3 * height, 2));
  CHECK(scaled(2.0F).numerator == 2 * height);
  CHECK(scaled(0.7F).is_unknown());
  const KnownElement third = combine(ElementOp::divide, height, KnownElement(3), DataType::float32);
  CHECK(round(Rounding::floor, third).numerator == floor_divide(height, 3));
  CHECK(combine(ElementOp::multiply, third, KnownElement(3), DataType::float32).numerator ==
        height);
}

TEST_CASE("comparisons are decided where they hold for every size", "[ops]") {
  CHECK(compare(Comparison::equal, height, height) == KnownElement(1));
  CHECK(compare(Comparison::equal, height, height + 1) == KnownElement(0));
  CHECK(compare(Comparison::equal, height, Dimension(3)).is_unknown());
  CHECK(compare(Comparison::less, height, height + 1) == KnownElement(1));
  CHECK(compare(Comparison::less, height, Dimension(0)) == KnownElement(0));
  CHECK(compare(Comparison::less_or_equal, Dimension(0), height) == KnownElement(1));
  CHECK(compare(Comparison::less, element_of(0.25F), element_of(0.5F)) == KnownElement(1));
}

TEST_CASE("integers that a tensor could not hold are unknown", "[ops]") {
  const KnownElement large(std::int64_t{1} << 31);
  CHECK(combine(ElementOp::multiply, large, KnownElement(2), DataType::int64) ==
        KnownElement(std::int64_t{1} << 32));
  CHECK(combine(ElementOp::add, KnownElement(2147483647), KnownElement(1), DataType::int32)
            .is_unknown());
  CHECK(combine(ElementOp::divide, KnownElement(-7), KnownElement(2), DataType::int64) ==
        KnownElement(-3));
  CHECK(combine(ElementOp::modulo, KnownElement(-7), KnownElement(3), DataType::int64) ==
        KnownElement(2));
  CHECK(combine(ElementOp::divide, KnownElement(7), KnownElement(0), DataType::int64).is_unknown());
}

}  // namespace
}  // namespace ortool
