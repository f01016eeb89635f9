// Rounding check: most integers are equal, so floats are examined for the few others only.
#include "libcore/verify/rounding_check.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr double half_step = 0.5;

double zero_at(const Tensor* zero_point, std::int64_t index) {
  if (zero_point == nullptr) return 0;
  return element_as_double(*zero_point, zero_point->element_count() == 1 ? 0 : index);
}

/// The type's range.
struct Ends {
  double low;
  double high;
};

Ends ends_of(DataType type) {
  const int bits = element_bits(type);
  const bool is_signed = type == DataType::int8 || type == DataType::int16 ||
                         type == DataType::int4 || type == DataType::int2;
  const double count = std::ldexp(1.0, bits);
  return is_signed ? Ends{-count / 2, count / 2 - 1} : Ends{0, count - 1};
}

}  // namespace

void RoundingCheck::add(const RoundingCheck& other) {
  count += other.count;
  differing += other.differing;
  wrong += other.wrong;
  largest_excess_units = std::max(largest_excess_units, other.largest_excess_units);
}

RoundingCheck check_rounding(const Tensor& found, const Tensor* found_zero_point,
                             const Tensor& expected, const Tensor* expected_zero_point,
                             const QuantizationSource& from, const Tolerance& tolerance) {
  RoundingCheck result;
  result.count = expected.element_count();
  double atol = tolerance.atol;
  if (tolerance.atol_of_max) {
    const Statistics statistics = statistics_of(from.numbers);
    atol *= std::max(std::abs(statistics.min), std::abs(statistics.max));
  }
  std::int64_t inner = 1;
  const Shape& shape = expected.shape();
  for (std::int64_t i = from.axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  const std::int64_t scales = from.scale.element_count();
  const Ends ends = ends_of(expected.type());
  for (std::int64_t i = 0; i < result.count; ++i) {
    const std::int64_t place = scales == 1 ? 0 : i / inner % scales;
    const double found_zero = zero_at(found_zero_point, place);
    const double level = element_as_double(found, i) - found_zero;
    if (level == element_as_double(expected, i) - zero_at(expected_zero_point, place)) continue;
    ++result.differing;
    const double scale = element_as_double(from.scale, place);
    const double number = element_as_double(from.numbers, i);
    const double units = std::clamp(number / scale, ends.low - found_zero, ends.high - found_zero);
    const double excess = std::abs(level - units) - half_step;
    const double allowed = tolerance.rtol * std::abs(units) + atol / scale;
    // NaN has no valid rounding.
    if (!(excess <= allowed)) ++result.wrong;
    result.largest_excess_units = std::max(result.largest_excess_units, excess);
  }
  return result;
}

}  // namespace ortool
