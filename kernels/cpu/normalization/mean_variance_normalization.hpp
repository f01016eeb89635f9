// Mean-variance normalization over any set of axes.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// A tensor's axes in two groups: an index of the kept axes selects a slice over the reduced ones.
struct MeanVarianceSizes {
  struct Axis {
    std::int64_t size = 1;
    std::int64_t stride = 0;
  };
  std::vector<Axis> kept;
  std::vector<Axis> reduced;
  std::int64_t slices = 1;   ///< product of the kept sizes
  std::int64_t length = 1;   ///< product of the reduced sizes
  bool has_variance = true;  ///< false: only the mean is subtracted
};

/// T: float, double. out = (x - mean) / (√variance + 1e-9) for each slice, with moments in float64
/// from two passes; `out` may be `in`. Slices are not split, so results do not depend on the number
/// of threads.
template <typename T>
void mean_variance_normalization(const T* in, T* out, const MeanVarianceSizes& sizes,
                                 Workers& workers);

}  // namespace ortool::cpu
