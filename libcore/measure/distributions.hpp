// Distribution functions behind the confidence intervals: binomial and Student's t.
#pragma once

#include <cstdint>

namespace ortool {

/// The regularized incomplete beta function I_x(a, b) for a, b > 0 and x in [0, 1], by its
/// continued fraction (Abramowitz and Stegun 26.5.8, evaluated by Lentz's method).
double incomplete_beta(double a, double b, double x);

/// The binomial probability of at most `most` successes in `trials` trials with probability
/// `chance`.
double binomial_at_most(std::int64_t most, std::int64_t trials, double chance);

/// The quantile of Student's t distribution with so many degrees of freedom at `chance`, in (0, 1).
/// `degrees` from 1 up.
double student_quantile(double chance, double degrees);

}  // namespace ortool
