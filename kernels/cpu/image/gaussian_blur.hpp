// Gaussian blur of images with channels last, with OpenCV's windows and mirrored borders.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The weights of a window of an odd length. `sigma` of 0 or less: one that fits the length.
std::vector<float> gaussian_window(std::int64_t length, double sigma);
/// The length of the window that fits a deviation above 0.
std::int64_t gaussian_window_length(double sigma);

struct BlurSizes {
  std::int64_t images = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
};

/// Blurs rows by one window and columns by the other. `between` holds one image per row of the
/// work: as many floats as `out`.
void gaussian_blur(const BlurSizes& sizes, const std::vector<float>& row_window,
                   const std::vector<float>& column_window, const float* in, float* between,
                   float* out, Workers& workers);

}  // namespace ortool::cpu
