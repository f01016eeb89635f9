// What becomes of a row of a classical model's scores.
#pragma once

#include <cstdint>

namespace ortool::cpu {

enum class ScoreTransform {
  none,
  softmax,       ///< exponentials scaled to sum to one
  logistic,      ///< 1 / (1 + e^-x)
  softmax_zero,  ///< softmax of what is above 1e-7 in size; the rest stays near zero
  probit,        ///< the inverse of the normal distribution function
};

/// Without overflow on either side.
template <typename T>
T logistic_of(T value);

/// By Winitzki's formula for the inverse error function, to 0.2 %, the one that runtimes for these
/// operators share; NaN outside [0, 1].
template <typename T>
T probit_of(T value);

/// Transforms `count` scores in place. Where a row of softmax_zero is zeros alone it gives NaN.
template <typename T>
void transform_scores(ScoreTransform transform, T* scores, std::int64_t count);

/// The scores of a regression: a single target is changed by probit alone.
template <typename T>
void transform_targets(ScoreTransform transform, T* scores, std::int64_t count);

/// Both scores of two classes, from that of the second in scores[1]. With `is_share` the score is a
/// share of one and the first class has the rest, else the first has the opposite; logistic makes
/// shares of either. Softmax changes nothing.
template <typename T>
void write_two_scores(ScoreTransform transform, bool is_share, T* scores);

}  // namespace ortool::cpu
