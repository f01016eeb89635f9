// Rounding check: whether quantized values are valid roundings within a tolerance.
#pragma once

#include <cstdint>

#include "libcore/tensor/compare.hpp"

namespace ortool {

/// Floats and how they are quantized: x / scale, rounded, plus the zero point.
struct QuantizationSource {
  const Tensor& numbers;  ///< any shape, finite or not
  const Tensor& scale;    ///< one, or one per index of `axis`
  std::int64_t axis = 0;  ///< not negative
};

/// The result of a check, over all values.
struct RoundingCheck {
  std::int64_t count = 0;
  std::int64_t differing = 0;  ///< that differ from the expected integer
  std::int64_t wrong = 0;      ///< of these: not a rounding of a value within the tolerance
  /// The maximum distance of an integer beyond half a unit from its float, in units of the scale.
  double largest_excess_units = 0;

  void add(const RoundingCheck& other);
};

/// Checks integers against the floats they were quantized from. One that differs from the
/// `expected` one is valid if a value within `tolerance` of its float rounds to it: |found - zero
/// point - u| <= 1/2 + rtol |u| + atol / scale with u = x / scale, clamped to the type. Zero points
/// are those used by each side, one or as many as there are scales; null is 0. All integers have
/// one type and shape.
RoundingCheck check_rounding(const Tensor& found, const Tensor* found_zero_point,
                             const Tensor& expected, const Tensor* expected_zero_point,
                             const QuantizationSource& from, const Tolerance& tolerance);

}  // namespace ortool
