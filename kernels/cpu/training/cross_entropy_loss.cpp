// Cross-entropy loss: one lookup per label.
#include "kernels/cpu/training/cross_entropy_loss.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {

template <typename T, typename Index>
void class_losses(const T* scores, const ClassLabels<T, Index>& labels, const ClassLossSizes& sizes,
                  T* losses, Workers& workers) {
  const std::int64_t inner = sizes.inner;
  workers.parallel_ranges(sizes.label_count(), 8192, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t label = labels.labels[i];
      if (labels.ignored == label) {
        losses[i] = 0;
        continue;
      }
      if (label < 0 || label >= sizes.classes) {
        throw Error(ErrorCode::invalid, format("label {} at position {} is outside the {} classes",
                                               label, i, sizes.classes));
      }
      const T score = scores[(i / inner * sizes.classes + label) * inner + i % inner];
      losses[i] = labels.weights == nullptr ? -score : -score * labels.weights[label];
    }
  });
}

template <typename T, typename Index>
T reduce_losses(const T* losses, const ClassLabels<T, Index>& labels, std::int64_t count,
                bool is_mean) {
  double sum = 0;
  double weight = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t label = labels.labels[i];
    if (labels.ignored == label) continue;
    sum += static_cast<double>(losses[i]);
    weight += labels.weights == nullptr ? 1.0 : static_cast<double>(labels.weights[label]);
  }
  return static_cast<T>(is_mean ? sum / weight : sum);
}

#define ORTOOL_INSTANTIATE(T, Index)                                                            \
  template void class_losses(const T*, const ClassLabels<T, Index>&, const ClassLossSizes&, T*, \
                             Workers&);                                                         \
  template T reduce_losses(const T*, const ClassLabels<T, Index>&, std::int64_t, bool);
ORTOOL_INSTANTIATE(float, std::int32_t)
ORTOOL_INSTANTIATE(float, std::int64_t)
ORTOOL_INSTANTIATE(double, std::int32_t)
ORTOOL_INSTANTIATE(double, std::int64_t)
#undef ORTOOL_INSTANTIATE

}  // namespace ortool::cpu
