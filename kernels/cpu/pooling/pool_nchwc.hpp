// Pooling of NCHWc images (libcore/tensor/layout.hpp), of one or two dimensions.
#pragma once

#include <cstdint>

#include "kernels/cpu/pooling/pool.hpp"

namespace ortool::cpu {

/// Sizes of a blocked pool: `window` with as many planes as there are blocks of channels in all
/// images, and no depth. Zeros that fill up blocks stay zeros where each window holds a pixel.
struct NchwcPoolSizes {
  PoolSizes window;
  std::int64_t batch = 1;
  std::int64_t channels = 0;
};

/// The largest of each window; NaN wins.
void max_pool_nchwc(const NchwcPoolSizes& sizes, const float* x, float* y, Isa isa,
                    Workers& workers);
/// The mean of each window, as average_pool has it.
void average_pool_nchwc(const NchwcPoolSizes& sizes, bool counts_padding, const float* x, float* y,
                        Isa isa, Workers& workers);

/// The mean of each channel's `pixels` numbers, into a plain y (batch × channels); NaN where there
/// are none.
void global_average_pool_nchwc(std::int64_t batch, std::int64_t channels, std::int64_t pixels,
                               const float* x, float* y, Isa isa, Workers& workers);

}  // namespace ortool::cpu
