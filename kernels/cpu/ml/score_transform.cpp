// Score transforms of ai.onnx.ml: plain loops, as rows are short.
#include "kernels/cpu/ml/score_transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ortool::cpu {
namespace {

template <typename T>
void apply_softmax(T* scores, std::int64_t count, bool skips_zeros) {
  T most = std::numeric_limits<T>::lowest();
  for (std::int64_t i = 0; i < count; ++i) most = std::max(most, scores[i]);
  const T factor = skips_zeros ? std::exp(-most) : T(0);
  T sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (skips_zeros && std::abs(scores[i]) <= T(1e-7F)) {
      scores[i] *= factor;
    } else {
      scores[i] = std::exp(scores[i] - most);
      sum += scores[i];
    }
  }
  for (std::int64_t i = 0; i < count; ++i) scores[i] /= sum;
}

}  // namespace

template <typename T>
T logistic_of(T value) {
  const T upper = 1 / (1 + std::exp(-std::abs(value)));
  return value < 0 ? 1 - upper : upper;
}

template <typename T>
T probit_of(T value) {
  const T x = 2 * value - 1;
  const T logarithm = std::log((1 - x) * (1 + x));
  const T half = T(2) / (T(3.14159F) * T(0.147F)) + logarithm / 2;
  const T root = std::sqrt(-half + std::sqrt(half * half - logarithm / T(0.147F)));
  return T(1.41421356F) * (x < 0 ? -root : root);
}

template <typename T>
void transform_scores(ScoreTransform transform, T* scores, std::int64_t count) {
  switch (transform) {
    case ScoreTransform::none:
      return;
    case ScoreTransform::softmax:
      return apply_softmax(scores, count, false);
    case ScoreTransform::softmax_zero:
      return apply_softmax(scores, count, true);
    case ScoreTransform::logistic:
      for (std::int64_t i = 0; i < count; ++i) scores[i] = logistic_of(scores[i]);
      return;
    case ScoreTransform::probit:
      for (std::int64_t i = 0; i < count; ++i) scores[i] = probit_of(scores[i]);
      return;
  }
}

template <typename T>
void transform_targets(ScoreTransform transform, T* scores, std::int64_t count) {
  if (count > 1 || transform == ScoreTransform::probit) transform_scores(transform, scores, count);
}

template <typename T>
void write_two_scores(ScoreTransform transform, bool is_share, T* scores) {
  const T score = scores[1];
  if (transform == ScoreTransform::logistic) {
    scores[0] = logistic_of(-score);
    scores[1] = logistic_of(score);
  } else if (transform == ScoreTransform::probit) {
    scores[0] = probit_of(1 - score);
    scores[1] = probit_of(score);
  } else {
    scores[0] = is_share ? 1 - score : -score;
  }
}

template float logistic_of(float);
template double logistic_of(double);
template float probit_of(float);
template double probit_of(double);
template void transform_scores(ScoreTransform, float*, std::int64_t);
template void transform_scores(ScoreTransform, double*, std::int64_t);
template void transform_targets(ScoreTransform, float*, std::int64_t);
template void transform_targets(ScoreTransform, double*, std::int64_t);
template void write_two_scores(ScoreTransform, bool, float*);
template void write_two_scores(ScoreTransform, bool, double*);

}  // namespace ortool::cpu
