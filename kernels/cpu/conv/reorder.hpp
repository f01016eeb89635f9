// Reorders of float32 tensors between NCHW and NCHWc (libcore/tensor/layout.hpp).
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// A tensor of batch × channels × pixels.
struct ReorderSizes {
  std::int64_t batch = 1;
  std::int64_t channels = 0;
  std::int64_t pixels = 1;
  std::int64_t block = 16;  ///< 8 or 16
};

/// Padding channels of the last block are set to zero.
void reorder_to_nchwc(const ReorderSizes& sizes, const float* plain, float* blocked, Isa isa,
                      Workers& workers);
void reorder_to_nchw(const ReorderSizes& sizes, const float* blocked, float* plain, Isa isa,
                     Workers& workers);

/// Zeroes the padding channels of the last block.
void clear_filling(const ReorderSizes& sizes, float* blocked, Workers& workers);

}  // namespace ortool::cpu
