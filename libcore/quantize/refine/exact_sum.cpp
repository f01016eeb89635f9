// Exact summation: each addition passes through the parts and keeps the rounding errors.
#include "libcore/quantize/refine/exact_sum.hpp"

#include <cmath>
#include <utility>

namespace ortool {

void ExactSum::add(double number) {
  std::size_t kept = 0;
  for (double part : parts_) {
    if (std::abs(number) < std::abs(part)) std::swap(number, part);
    const double sum = number + part;
    const double rest = part - (sum - number);
    if (rest != 0) parts_[kept++] = rest;
    number = sum;
  }
  parts_.resize(kept);
  if (number != 0) parts_.push_back(number);
}

void ExactSum::add(const ExactSum& other) {
  // A copy: `other` may be *this.
  const std::vector<double> parts = other.parts_;
  for (const double part : parts) add(part);
}

double ExactSum::value() const {
  if (parts_.empty()) return 0;
  std::size_t i = parts_.size() - 1;
  double sum = parts_[i];
  double rest = 0;
  while (i > 0 && rest == 0) {
    const double part = parts_[--i];
    const double before = sum;
    sum += part;
    rest = part - (sum - before);
  }
  // Ties were rounded without knowing the sign of the parts below.
  if (i > 0 && (rest > 0) == (parts_[i - 1] > 0)) {
    const double twice = rest * 2;
    const double other = sum + twice;
    if (twice == other - sum) sum = other;
  }
  return sum;
}

std::vector<double> ExactSum::digits() const {
  std::vector<double> digits;
  ExactSum rest = *this;
  for (double digit = rest.value(); digit != 0; digit = rest.value()) {
    digits.push_back(digit);
    rest.add(-digit);
  }
  return digits;
}

}  // namespace ortool
