// Mean-variance normalization: iterates over the outer axes to find each contiguous run.
#include "kernels/cpu/normalization/mean_variance_normalization.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/parallel/interruptible_loop.hpp"

namespace ortool::cpu {
namespace {

using Axis = MeanVarianceSizes::Axis;

std::int64_t offset_of(const std::vector<Axis>& axes, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    offset += index % axes[i].size * axes[i].stride;
    index /= axes[i].size;
  }
  return offset;
}

/// Calls body(offset) for each element of a slice.
template <typename Body>
void for_each(const MeanVarianceSizes& sizes, std::int64_t start, const Workers& workers,
              Body body) {
  const Axis inner = sizes.reduced.empty() ? Axis{} : sizes.reduced.back();
  for (std::int64_t i = 0; i < sizes.length; i += inner.size) {
    const std::int64_t first = start + offset_of(sizes.reduced, i);
    interruptible_loop(inner.size, workers, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) body(first + k * inner.stride);
    });
  }
}

}  // namespace

template <typename T>
void mean_variance_normalization(const T* in, T* out, const MeanVarianceSizes& sizes,
                                 Workers& workers) {
  if (sizes.length == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / sizes.length);
  workers.parallel_ranges(sizes.slices, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slice = begin; slice < end; ++slice) {
      const std::int64_t start = offset_of(sizes.kept, slice);
      const auto count = static_cast<double>(sizes.length);
      double sum = 0;
      for_each(sizes, start, workers, [&](std::int64_t i) { sum += static_cast<double>(in[i]); });
      const double mean = sum / count;
      double squares = 0;
      for_each(sizes, start, workers, [&](std::int64_t i) {
        const double difference = static_cast<double>(in[i]) - mean;
        squares += difference * difference;
      });
      const double factor = sizes.has_variance ? 1.0 / (std::sqrt(squares / count) + 1e-9) : 1.0;
      for_each(sizes, start, workers, [&](std::int64_t i) {
        out[i] = static_cast<T>((static_cast<double>(in[i]) - mean) * factor);
      });
    }
  });
}

template void mean_variance_normalization(const float* in, float* out,
                                          const MeanVarianceSizes& sizes, Workers& workers);
template void mean_variance_normalization(const double* in, double* out,
                                          const MeanVarianceSizes& sizes, Workers& workers);

}  // namespace ortool::cpu
