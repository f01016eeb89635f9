// Tree ensemble scores: turns aggregated votes into the scores and labels of the operators.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/ml/score_transform.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct ForestTargets {
  std::int64_t count = 1;
  std::int64_t divisor = 1;         ///< the number of trees for an average
  std::vector<double> base_values;  ///< one per target, or none
  ScoreTransform transform = ScoreTransform::none;
};

/// scores[rows, count] in place: divides, adds base values, transforms.
template <typename T>
void finish_targets(const ForestTargets& targets, std::int64_t rows, T* scores, Workers& workers);

struct ForestClasses {
  std::int64_t count = 1;
  std::vector<double> base_values;  ///< one per class; for two classes one for both; or none
  ScoreTransform transform = ScoreTransform::none;
  /// Binary classification in which only one class has votes and there is at most one base value:
  /// the votes count for the second class, whichever of the two the model names.
  bool is_single = false;
  bool is_share = false;  ///< no vote is negative: a single score is a probability
};

/// The best class of each row and all scores (either may be null), from scores[rows, count] and
/// has_score[rows, count], which are overwritten. The first of equal classes wins; a class without
/// votes wins only if no class has any. A single score selects the second class above 0 or, as a
/// probability, above 0.5.
template <typename T>
void finish_classes(const ForestClasses& classes, std::int64_t rows, T* scores,
                    std::uint8_t* has_score, std::int64_t* best, float* out, Workers& workers);

}  // namespace ortool::cpu
