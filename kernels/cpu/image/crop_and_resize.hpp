// Regions of images, resized to one size with corners aligned (com.microsoft.CropAndResize).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct CropSizes {
  std::int64_t channels = 0;
  std::int64_t in[2] = {0, 0};
  std::int64_t out[2] = {1, 1};
  std::int64_t regions = 0;
};

/// Regions [regions, 4] (y, x, y, x, where 0 and 1 are the corner pixels' centers) of the images
/// selected by `images` (all within the batch). Samples are bilinear or the nearest pixel's, and
/// `outside` beyond the corner pixels. T: float, double.
template <typename T>
void crop_and_resize(const CropSizes& sizes, bool takes_nearest, float outside, const T* x,
                     const T* regions, const std::int32_t* images, T* y, Workers& workers);

}  // namespace ortool::cpu
