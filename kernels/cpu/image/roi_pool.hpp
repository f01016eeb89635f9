// Region pooling: RoiAlign (bilinear samples) and MaxRoiPool (whole pixels).
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
  std::int64_t sampling_ratio = 0;  ///< samples per bin and axis; 0: depends on the region's size
};

/// Regions [regions, 4] (x, y, x, y) of the images selected by `images` (all within the batch),
/// with bilinear samples spread over each bin: their mean, or the maximum of their weighted pixels.
/// Samples more than a pixel outside count as 0. Only samples near the image are computed. T:
/// float, double.
template <typename T>
void roi_align(const RegionPoolSizes& sizes, const RegionAlignment& alignment, const T* x,
               const T* regions, const std::int64_t* images, T* y, void* workspace, int threads,
               Workers& workers);

/// Bytes of workspace for `roi_align` run by up to `threads` threads.
template <typename T>
std::int64_t roi_align_workspace_bytes(const RegionPoolSizes& sizes, int threads);

/// Regions [regions, 5] (image, x, y, x, y), with corners rounded to pixels; the maximum of each
/// bin, 0 for an empty bin. Image indices must lie within the batch. T: float, double.
template <typename T>
void max_roi_pool(const RegionPoolSizes& sizes, const T* x, const T* regions, T* y,
                  Workers& workers);

}  // namespace ortool::cpu
