// From what trees add up to, to the scores and labels that their operators give.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/ml/score_transform.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct ForestTargets {
  std::int64_t count = 1;
  std::int64_t divisor = 1;         ///< of the sums: the number of trees for an average
  std::vector<double> base_values;  ///< one a target, or none
  ScoreTransform transform = ScoreTransform::none;
};

/// scores[rows, count] in place: divided, base values added, transformed.
template <typename T>
void finish_targets(const ForestTargets& targets, std::int64_t rows, T* scores, Workers& workers);

struct ForestClasses {
  std::int64_t count = 1;
  std::vector<double> base_values;  ///< one a class; of two classes one for both; or none
  ScoreTransform transform = ScoreTransform::none;
  /// Of two classes one alone has votes, and there is at most one base value: the votes are those
  /// for the second class, whichever of the two the file names.
  bool is_single = false;
  bool is_share = false;  ///< no vote is negative: a single score is a share of one
};

/// The best class of each row and the scores of all (either may be null), from scores[rows, count]
/// and has_score[rows, count], which are used up. The first of equals is the best; a class that
/// nothing voted for is it only if there is no other. A single score speaks for the second class
/// above 0, as a share above 0.5.
template <typename T>
void finish_classes(const ForestClasses& classes, std::int64_t rows, T* scores,
                    std::uint8_t* has_score, std::int64_t* best, float* out, Workers& workers);

}  // namespace ortool::cpu
