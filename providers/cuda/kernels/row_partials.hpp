// Row partials: what the threads of a block have found of a row, combined.
#pragma once

#include "providers/cuda/kernels/elementwise.hpp"

namespace ortool::cuda {

/// Combines the partial results of all threads pairwise; the result is in partial[0].
template <typename Number, typename Combine>
ORTOOL_DEVICE void combine_partials(const Block& block, Number* partial, Combine combine) {
  for (int half = row_threads / 2; half > 0; half /= 2) {
    ORTOOL_THREADS(block, thread) {
      if (thread < half) partial[thread] = combine(partial[thread], partial[thread + half]);
    }
  }
}

}  // namespace ortool::cuda
