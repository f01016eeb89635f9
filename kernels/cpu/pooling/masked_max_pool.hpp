// Maxima of windows that end at masked pixels (com.microsoft.MaxpoolWithMask).
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Windows over three axes, of which those that an image lacks have size and window 1.
struct MaskedWindow {
  std::int64_t planes = 0;  ///< batch times channels
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t pad[3] = {0, 0, 0};  ///< leading
  std::int64_t mask_planes = 1;     ///< batch times channels of the mask
  bool masks_first_pixel = false;   ///< whether the mask of pixel 0 counts
};

/// Each row of a window is read up to its first pixel with a mask of 0. As in ONNX Runtime, the
/// mask of plane p begins at element (p times the pixels of a plane) modulo mask_planes, which is
/// the mask's first plane if it has one only.
void masked_max_pool(const MaskedWindow& window, const float* x, const std::int32_t* mask, float* y,
                     Workers& workers);

}  // namespace ortool::cpu
