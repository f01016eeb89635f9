// The distribution functions that confidence intervals are read from.
#pragma once

#include <cstdint>

namespace ortool {

/// The regularised incomplete beta function I_x(a, b) for a, b > 0 and x in [0, 1], by its
/// continued fraction (Abramowitz and Stegun 26.5.8, evaluated by Lentz's method).
double incomplete_beta(double a, double b, double x);

/// The chance that `trials` draws that each succeed with `chance` give at most `most` successes.
double binomial_at_most(std::int64_t most, std::int64_t trials, double chance);

/// The t below which Student's distribution with so many degrees of freedom lies with `chance`, in
/// (0, 1). `degrees` from 1 up.
double student_quantile(double chance, double degrees);

}  // namespace ortool
