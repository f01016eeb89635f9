// Pooling of NCHWc images (libcore/tensor/layout.hpp) with one or two spatial dimensions.
#pragma once

#include <cstdint>

#include "kernels/cpu/pooling/pool.hpp"

namespace ortool::cpu {

/// Sizes of an NCHWc pool: `window` has one plane per channel block of all images, and no depth.
/// Padding channels stay zero if each window contains a pixel.
struct NchwcPoolSizes {
  PoolSizes window;
  std::int64_t batch = 1;
  std::int64_t channels = 0;
};

/// The maximum of each window; NaN wins.
void max_pool_nchwc(const NchwcPoolSizes& sizes, const float* x, float* y, Isa isa,
                    Workers& workers);
/// The mean of each window; see average_pool.
void average_pool_nchwc(const NchwcPoolSizes& sizes, bool counts_padding, const float* x, float* y,
                        Isa isa, Workers& workers);

/// The mean of each channel's `pixels` values, written to an NCHW y (batch × channels); NaN if
/// there are none.
void global_average_pool_nchwc(std::int64_t batch, std::int64_t channels, std::int64_t pixels,
                               const float* x, float* y, Isa isa, Workers& workers);

}  // namespace ortool::cpu
