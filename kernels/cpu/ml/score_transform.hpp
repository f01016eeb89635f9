// Score transforms (post_transform) of ai.onnx.ml models.
#pragma once

#include <cstdint>

namespace ortool::cpu {

enum class ScoreTransform {
  none,
  softmax,       ///< exponentials normalized to sum to one
  logistic,      ///< 1 / (1 + e^-x)
  softmax_zero,  ///< softmax of scores whose magnitude is above 1e-7; the others stay near zero
  probit,        ///< inverse of the normal distribution function
};

/// The logistic function, without overflow on either side.
template <typename T>
T logistic_of(T value);

/// The probit function by Winitzki's formula for the inverse error function, accurate to 0.2 %,
/// which runtimes share for these operators; NaN outside [0, 1].
template <typename T>
T probit_of(T value);

/// Transforms `count` scores in place. For softmax_zero, a row of zeros gives NaN.
template <typename T>
void transform_scores(ScoreTransform transform, T* scores, std::int64_t count);

/// Transforms the scores of a regression: a single target is affected by probit only.
template <typename T>
void transform_targets(ScoreTransform transform, T* scores, std::int64_t count);

/// Computes both scores of a binary classification from that of the second class in scores[1]. With
/// `is_share` the score is a probability and the first class gets the complement, otherwise the
/// negative; logistic makes probabilities of both. Softmax changes nothing.
template <typename T>
void write_two_scores(ScoreTransform transform, bool is_share, T* scores);

}  // namespace ortool::cpu
