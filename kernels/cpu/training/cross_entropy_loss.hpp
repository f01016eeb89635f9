// Cross-entropy and negative log-likelihood losses of samples with one label each.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Scores are samples × classes × inner, labels samples × inner.
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
  const T* weights = nullptr;           ///< one per class; null: all 1
  std::optional<std::int64_t> ignored;  ///< samples with this label do not count
};

/// losses[samples, inner] = -(weight of the label) × (score at the label), 0 for ignored labels.
/// Throws ErrorCode::invalid for a label outside the classes that is not ignored.
template <typename T, typename Index>
void class_losses(const T* scores, const ClassLabels<T, Index>& labels, const ClassLossSizes& sizes,
                  T* losses, Workers& workers);

/// The sum of the losses, in double and in order; with `is_mean`, divided by the sum of the weights
/// that count, which gives NaN if there are none.
template <typename T, typename Index>
T reduce_losses(const T* losses, const ClassLabels<T, Index>& labels, std::int64_t count,
                bool is_mean);

}  // namespace ortool::cpu
