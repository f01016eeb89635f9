// Whether quantised numbers are right roundings of numbers that they may come from.
#pragma once

#include <cstdint>

#include "libcore/tensor/compare.hpp"

namespace ortool {

/// Floats and how they become integers: x / scale, rounded, plus the zero point.
struct QuantizedFrom {
  const Tensor& numbers;  ///< any shape, finite or not
  const Tensor& scale;    ///< one, or one an index of `axis`
  std::int64_t axis = 0;  ///< not negative
};

/// What a check found, of all numbers together.
struct RoundingCheck {
  std::int64_t count = 0;
  std::int64_t differing = 0;  ///< that are other integers than expected
  std::int64_t wrong = 0;      ///< of these: no rounding of a number within the tolerance
  /// By how many units of the scale one lies beyond half a unit from its number, at most.
  double largest_excess_units = 0;

  void add(const RoundingCheck& other);
};

/// Holds integers against the floats they come from. One that differs from the `expected` one is
/// right when a number within `tolerance` of its float rounds to it: |found - zero point -
/// u| <= 1/2 + rtol |u| + atol / scale with u = x / scale, kept within the type. Zero points
/// are those that each side was quantised with, one or as many as there are scales; null is 0. All
/// integers are of one type and shape.
RoundingCheck check_rounding(const Tensor& found, const Tensor* found_zero_point,
                             const Tensor& expected, const Tensor* expected_zero_point,
                             const QuantizedFrom& from, const Tolerance& tolerance);

}  // namespace ortool
