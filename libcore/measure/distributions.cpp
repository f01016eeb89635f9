// Distribution functions, all derived from the incomplete beta function.
#include "libcore/measure/distributions.hpp"

#include <cmath>

namespace ortool {
namespace {

constexpr double tiny = 1e-300;

double away_from_zero(double value) {
  return std::abs(value) < tiny ? tiny : value;
}

/// Converges for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= c * d;
    if (std::abs(c * d - 1) < 1e-14) break;
  }
  return result;
}

/// The probability that Student's t is below `t`.
double student_below(double t, double degrees) {
  const double outside = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  return t < 0 ? outside / 2 : 1 - outside / 2;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double binomial_at_most(std::int64_t most, std::int64_t trials, double chance) {
  if (most < 0) return 0;
  if (most >= trials) return 1;
  return incomplete_beta(static_cast<double>(trials - most), static_cast<double>(most + 1),
                         1 - chance);
}

double student_quantile(double chance, double degrees) {
  double low = -1;
  double high = 1;
  while (student_below(low, degrees) > chance) low *= 2;
  while (student_below(high, degrees) < chance) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * std::abs(high); ++i) {
    const double middle = low + (high - low) / 2;
    (student_below(middle, degrees) < chance ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace ortool
