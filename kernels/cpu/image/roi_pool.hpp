// Pooling regions of images: RoiAlign between the pixels, MaxRoiPool on them.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct RegionPoolSizes {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t in[2] = {0, 0};
  std::int64_t out[2] = {1, 1};
  std::int64_t regions = 0;
  float spatial_scale = 1;
};

struct RegionAlignment {
  bool takes_maximum = false;
  bool shifts_half_a_pixel = true;
  std::int64_t sampling_ratio = 0;  ///< samples a part and axis; 0: by the region's size
};

/// Regions [regions, 4] (x, y, x, y) of the images that `images` names (all within the batch), by
/// bilinear samples spread over each part: their mean, or the greatest of their weighted pixels.
/// Samples farther than a pixel outside count 0. Only samples near the image cost time. T: float,
/// double.
template <typename T>
void roi_align(const RegionPoolSizes& sizes, const RegionAlignment& alignment, const T* x,
               const T* regions, const std::int64_t* images, T* y, void* workspace, int threads,
               Workers& workers);

/// Bytes of workspace for `roi_align` run by up to `threads` threads.
template <typename T>
std::int64_t roi_align_workspace_bytes(const RegionPoolSizes& sizes, int threads);

/// Regions [regions, 5] (image, x, y, x, y), corners rounded to pixels; the largest pixel of each
/// part, 0 of an empty one. Image numbers must lie within the batch. T: float, double.
template <typename T>
void max_roi_pool(const RegionPoolSizes& sizes, const T* x, const T* regions, T* y,
                  Workers& workers);

}  // namespace ortool::cpu
