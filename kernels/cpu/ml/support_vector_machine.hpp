// Support vector machines: RBF kernel, one-vs-one scores, and probability estimates.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// out[rows, vectors] = e^(-gamma |x - v|^2); squares are summed in eight partial sums.
void radial_similarities(const float* x, const float* vectors, std::int64_t rows,
                         std::int64_t vector_count, std::int64_t features, float gamma, float* out,
                         Workers& workers);

/// One-vs-one class pairs, i < j: (0, 1), (0, 2) … (1, 2) …
struct SupportPairs {
  std::int64_t classes = 0;
  std::int64_t vector_count = 0;
  const std::int64_t* vectors_per_class = nullptr;  ///< vectors are grouped by class
  /// [classes - 1, vector_count]; for the pair with class j, a vector of class i uses row j if j <
  /// i, else row j - 1.
  const float* coefficients = nullptr;
  const float* rho = nullptr;  ///< one per pair

  std::int64_t pair_count() const { return classes * (classes - 1) / 2; }
};

/// scores[rows, pairs] from similarities[rows, vectors], summed in double, and the class with the
/// most votes, the first one on a draw: a score above 0 is a vote for i, otherwise for j. `votes`
/// is scratch of rows × classes.
void score_pairs(const SupportPairs& pairs, const float* similarities, std::int64_t rows,
                 float* scores, std::int32_t* votes, std::int64_t* best, Workers& workers);

/// Scratch size of couple_probabilities, in floats.
constexpr std::int64_t coupling_scratch(std::int64_t classes) {
  return classes * (2 * classes + 1);
}

/// probabilities[classes] that best match the pairwise ones, 1 / (1 + e^(a score + b)) for i: the
/// second method of Wu, Lin and Weng (2004), in float32 with at most 100 iterations.
void couple_probabilities(std::int64_t classes, const float* scores, const float* a, const float* b,
                          float* probabilities, float* scratch);

}  // namespace ortool::cpu
