// Tree ensemble scores, finished row by row.
#include "kernels/cpu/ml/tree_scores.hpp"

#include <algorithm>

namespace ortool::cpu {
namespace {

std::int64_t rows_a_task(std::int64_t columns) {
  return std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, columns));
}

template <typename T>
std::int64_t best_class(const T* scores, const std::uint8_t* has_score, std::int64_t count) {
  std::int64_t best = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (has_score[i] != 0 && (best < 0 || scores[i] > scores[best])) best = i;
  }
  return std::max<std::int64_t>(best, 0);
}

/// Binary classification with votes for only one of the two scores.
template <typename T>
std::int64_t finish_single(const ForestClasses& classes, T* scores, const std::uint8_t* has_score) {
  const T base = classes.base_values.empty() ? T(0) : static_cast<T>(classes.base_values[0]);
  const bool is_second = has_score[1] != 0;
  const T score = is_second ? scores[1] : scores[0] + base;
  if (is_second) {
    transform_scores(classes.transform, scores, 2);
  } else {
    scores[1] = score;
    write_two_scores(classes.transform, classes.is_share, scores);
  }
  return score > (classes.is_share ? T(0.5) : T(0)) ? 1 : 0;
}

template <typename T>
std::int64_t finish_row(const ForestClasses& classes, T* scores, std::uint8_t* has_score) {
  if (classes.is_single) return finish_single(classes, scores, has_score);
  for (std::size_t i = 0; i < classes.base_values.size(); ++i) {
    scores[i] += static_cast<T>(classes.base_values[i]);
    has_score[i] = 1;
  }
  const std::int64_t best = best_class(scores, has_score, classes.count);
  transform_targets(classes.transform, scores, classes.count);
  return best;
}

}  // namespace

template <typename T>
void finish_targets(const ForestTargets& targets, std::int64_t rows, T* scores, Workers& workers) {
  const std::int64_t count = targets.count;
  const auto divisor = static_cast<T>(targets.divisor);
  workers.parallel_ranges(rows, rows_a_task(count), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      T* row_scores = scores + row * count;
      for (std::int64_t i = 0; i < count; ++i) row_scores[i] /= divisor;
      for (std::size_t i = 0; i < targets.base_values.size(); ++i)
        row_scores[i] += static_cast<T>(targets.base_values[i]);
      transform_targets(targets.transform, row_scores, count);
    }
  });
}

template <typename T>
void finish_classes(const ForestClasses& classes, std::int64_t rows, T* scores,
                    std::uint8_t* has_score, std::int64_t* best, float* out, Workers& workers) {
  const std::int64_t count = classes.count;
  workers.parallel_ranges(rows, rows_a_task(count), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      T* row_scores = scores + row * count;
      const std::int64_t chosen = finish_row(classes, row_scores, has_score + row * count);
      if (best != nullptr) best[row] = chosen;
      if (out == nullptr) continue;
      for (std::int64_t i = 0; i < count; ++i)
        out[row * count + i] = static_cast<float>(row_scores[i]);
    }
  });
}

template void finish_targets(const ForestTargets&, std::int64_t, float*, Workers&);
template void finish_targets(const ForestTargets&, std::int64_t, double*, Workers&);
template void finish_classes(const ForestClasses&, std::int64_t, float*, std::uint8_t*,
                             std::int64_t*, float*, Workers&);
template void finish_classes(const ForestClasses&, std::int64_t, double*, std::uint8_t*,
                             std::int64_t*, float*, Workers&);

}  // namespace ortool::cpu
