// A sum of doubles without any rounding, so that the order of adding makes no difference.
#pragma once

#include <vector>

namespace ortool {

/// Holds the sum as a few doubles that do not overlap (J. Shewchuk, "Adaptive Precision
/// Floating-Point Arithmetic", 1997). Exact as long as no magnitude passes 2^1000.
class ExactSum {
 public:
  /// `number` must be finite.
  void add(double number);
  void add(const ExactSum& other);

  /// The sum, rounded once, half to even.
  double value() const;
  /// The sum as doubles, each the rounding of what those before leave: equal sums give equal lists,
  /// however they were added. Zero gives none.
  std::vector<double> digits() const;

 private:
  std::vector<double> parts_;  ///< rising in magnitude, no two with bits in common
};

}  // namespace ortool
