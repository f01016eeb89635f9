// Exact summation of doubles: the result is independent of the order of addition.
#pragma once

#include <vector>

namespace ortool {

/// Represents the sum as a few nonoverlapping doubles (J. Shewchuk, "Adaptive Precision
/// Floating-Point Arithmetic", 1997). Exact as long as no magnitude exceeds 2^1000.
class ExactSum {
 public:
  /// `number` must be finite.
  void add(double number);
  void add(const ExactSum& other);

  /// The sum, rounded once, half to even.
  double value() const;
  /// The sum as doubles, each the rounding of the remainder after those before it: equal sums give
  /// equal lists, whatever the order of addition. Zero gives an empty list.
  std::vector<double> digits() const;

 private:
  std::vector<double> parts_;  ///< ascending in magnitude, nonoverlapping
};

}  // namespace ortool
