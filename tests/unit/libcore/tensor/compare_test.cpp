// Error measures, tolerances, and statistics.
#include "libcore/tensor/compare.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "libcore/tensor/convert.hpp"

using namespace ortool;

namespace {

constexpr float float_infinity = std::numeric_limits<float>::infinity();
constexpr float float_nan = std::numeric_limits<float>::quiet_NaN();

Tensor floats(std::initializer_list<float> values) {
  return Tensor::of<float>(Shape{static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("equal tensors compare without error") {
  const TensorComparison result =
      compare(floats({1, float_nan, -float_infinity}), floats({1, float_nan, -float_infinity}),
              {.rtol = 0, .atol = 0});
  CHECK(result.passed);
  CHECK(result.max_abs_error == 0);
  CHECK(result.sqnr_db == std::numeric_limits<double>::infinity());
  CHECK(result.cosine == Approx(1));
  CHECK(result.worst_index == -1);
  CHECK(result.count == 3);
}

TEST_CASE("the measures of a known difference") {
  const TensorComparison result =
      compare(floats({1, 2, 3.5F}), floats({1, 2.5F, 3}), {.rtol = 0, .atol = 0.1});
  CHECK_FALSE(result.passed);
  CHECK(result.mismatched == 2);
  CHECK(result.max_abs_error == 0.5);
  CHECK(result.max_rel_error == Approx(0.2));
  CHECK(result.sqnr_db == Approx(10 * std::log10((1 + 6.25 + 9) / 0.5)));
  CHECK(result.cosine == Approx((1 + 5 + 10.5) / std::sqrt(17.25 * 16.25)));
  CHECK(result.worst_index == 1);
}

TEST_CASE("the limit is atol plus rtol times the reference, and may follow its largest value") {
  CHECK(compare(floats({1.1F}), floats({1}), {.rtol = 0.1, .atol = 0.01}).passed);
  CHECK_FALSE(compare(floats({1.1F}), floats({1}), {.rtol = 0.05, .atol = 0.01}).passed);
  const Tolerance of_max = {.rtol = 0, .atol = 0.01, .atol_of_max = true};
  CHECK(compare(floats({0.5F, 100}), floats({0, 100}), of_max).passed);
  CHECK_FALSE(compare(floats({1.5F, 100}), floats({0, 100}), of_max).passed);
  CHECK(compare(floats({0.5F, float_infinity, 100}), floats({0, float_infinity, 100}), of_max)
            .passed);
}

TEST_CASE("NaN and float_infinity stand only for themselves") {
  CHECK_FALSE(compare(floats({float_nan}), floats({1}), {.rtol = 1e9}).passed);
  CHECK_FALSE(compare(floats({1}), floats({float_nan}), {.rtol = 1e9}).passed);
  CHECK_FALSE(compare(floats({float_infinity}), floats({-float_infinity}), {.rtol = 1e9}).passed);
  CHECK_FALSE(compare(floats({3e38F}), floats({float_infinity}), {.rtol = 1e9}).passed);
  CHECK(compare(floats({1, 2, float_infinity}), floats({1, 9, -float_infinity})).worst_index == 2);
}

TEST_CASE("ulps count steps of the element's own format") {
  CHECK(compare(floats({std::nextafter(1.0F, 2.0F)}), floats({1})).max_ulp == 1);
  CHECK(compare(floats({std::nextafter(0.0F, -1.0F)}), floats({std::nextafter(0.0F, 1.0F)}))
            .max_ulp == 2);
  const double step = std::nextafter(1e300, 2e300);
  CHECK(compare(Tensor::scalar(step), Tensor::scalar(1e300)).max_ulp == 1);
  const Tensor half = convert(floats({1, 1 + 0x1p-9F}), DataType::float16);
  CHECK(compare(half, convert(floats({1, 1}), DataType::float16)).max_ulp == 2);
}

TEST_CASE("integers, bools and strings must be the same") {
  const auto far = std::int64_t{1} << 60;
  CHECK_FALSE(
      compare(Tensor::scalar(far + 1), Tensor::scalar(far), {.rtol = 1, .atol = 1e9}).passed);
  CHECK(compare(Tensor::scalar(far), Tensor::scalar(far)).passed);
  CHECK_FALSE(compare(Tensor::scalar<std::uint8_t>(3), Tensor::scalar<std::uint8_t>(4), {.atol = 9})
                  .passed);
  CHECK(compare(Tensor::scalar<std::uint8_t>(3), Tensor::scalar<std::uint8_t>(5)).max_abs_error ==
        2);
  const Tensor a = Tensor::of_strings(Shape{2}, {"x", "y"});
  const Tensor b = Tensor::of_strings(Shape{2}, {"x", "z"});
  CHECK(compare(a, a).passed);
  CHECK(compare(a, b).worst_index == 1);
}

TEST_CASE("another type or shape is a difference in words") {
  CHECK(compare(floats({1}), Tensor::scalar(1.0F)).difference == "shape 1 found, scalar expected");
  CHECK(compare(floats({1}), Tensor::of<double>(Shape{1}, {1})).difference ==
        "type float32 found, float64 expected");
}

TEST_CASE("empty tensors are equal") {
  const TensorComparison result = compare(floats({}), floats({}));
  CHECK(result.passed);
  CHECK(result.cosine == 1);
}

TEST_CASE("statistics leave NaN out and count it") {
  const Statistics result = statistics_of(floats({1, 2, 3, float_nan, float_infinity}));
  CHECK(result.count == 5);
  CHECK(result.min == 1);
  CHECK(result.max == static_cast<double>(float_infinity));
  CHECK(result.mean == 2);
  CHECK(result.std == Approx(std::sqrt(2.0 / 3)));
  CHECK(result.nan_count == 1);
  CHECK(result.inf_count == 1);
  CHECK(statistics_of(Tensor::of_strings(Shape{2}, {"a", "b"})).count == 2);
}
