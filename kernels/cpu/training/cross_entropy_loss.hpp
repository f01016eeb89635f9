// Losses of samples that each have one label among classes.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Scores lie samples × classes × inner, labels samples × inner.
struct ClassLossSizes {
  std::int64_t samples = 1;
  std::int64_t classes = 1;
  std::int64_t inner = 1;

  std::int64_t label_count() const { return samples * inner; }
};

/// T: float, double; Index: int32_t, int64_t.
template <typename T, typename Index>
struct ClassLabels {
  const Index* labels = nullptr;
  const T* weights = nullptr;           ///< one a class, or null: ones
  std::optional<std::int64_t> ignored;  ///< the label whose samples count nothing
};

/// losses[samples, inner] = -(the weight of the label) × (the score at the label), 0 for ignored
/// ones. Throws ErrorCode::invalid for a label outside the classes that is not ignored.
template <typename T, typename Index>
void class_losses(const T* scores, const ClassLabels<T, Index>& labels, const ClassLossSizes& sizes,
                  T* losses, Workers& workers);

/// The sum of the losses, in double and in their order; with `is_mean` divided by the sum of the
/// weights that count, which gives NaN where none does.
template <typename T, typename Index>
T reduce_losses(const T* losses, const ClassLabels<T, Index>& labels, std::int64_t count,
                bool is_mean);

}  // namespace ortool::cpu
