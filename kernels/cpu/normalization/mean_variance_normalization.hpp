// Mean 0 and variance 1 over any set of axes.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// A tensor's axes in two groups: an element of the kept ones starts a slice that the reduced ones
/// walk.
struct MeanVarianceSizes {
  struct Axis {
    std::int64_t size = 1;
    std::int64_t stride = 0;
  };
  std::vector<Axis> kept;
  std::vector<Axis> reduced;
  std::int64_t slices = 1;   ///< product of the kept sizes
  std::int64_t length = 1;   ///< product of the reduced sizes
  bool has_variance = true;  ///< false: the mean alone is subtracted
};

/// T: float, double. out = (x - mean) / (√variance + 1e-9) for each slice, moments in float64 and
/// two passes; `out` may be `in`. Slices are never cut, so the bits do not depend on threads.
template <typename T>
void mean_variance_normalization(const T* in, T* out, const MeanVarianceSizes& sizes,
                                 Workers& workers);

}  // namespace ortool::cpu
