// Max and average pooling of NCHW images with one to three spatial dimensions.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The three dimensions are depth, height and width; unused leading ones keep their defaults. `out`
/// is given, so that rounding (ceil_mode) is up to the caller: windows may reach past the padding.
struct PoolSizes {
  std::int64_t planes = 0;  ///< batch × channels
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t pad_begin[3] = {0, 0, 0};
  std::int64_t pad_end[3] = {0, 0, 0};
};

/// Writes the maximum of each window to `y` (planes × out); NaN wins. A window without any pixel
/// gives the lowest value of the type. `indices` (null: not wanted) gets the index of the first
/// maximum in all of x, counted with the last dimension fastest; with `column_major`, within its
/// plane with the first dimension fastest. T: float, double, int8_t, uint8_t. Indices, and doubles,
/// are computed pixel by pixel.
template <typename T>
void max_pool(const PoolSizes& sizes, const T* x, T* y, std::int64_t* indices, bool column_major,
              Isa isa, Workers& workers);

/// Writes the mean of each window to `y`. `counts_padding`: padded pixels count as zeros, those
/// past the padding do not count. A window that counts no pixel gives 0. T: float, double.
template <typename T>
void average_pool(const PoolSizes& sizes, bool counts_padding, const T* x, T* y, Isa isa,
                  Workers& workers);

/// The mean of each of `planes` planes of `pixels` values; NaN for an empty plane. T: float,
/// double.
template <typename T>
void global_average_pool(std::int64_t planes, std::int64_t pixels, const T* x, T* y, Isa isa,
                         Workers& workers);

/// The maximum of each plane; NaN wins; the lowest value for an empty plane. T: float, double.
template <typename T>
void global_max_pool(std::int64_t planes, std::int64_t pixels, const T* x, T* y, Isa isa,
                     Workers& workers);

}  // namespace ortool::cpu
