// col2im: sums columns of overlapping blocks back into an image (the inverse of im2col).
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Block positions along one axis of the image: block i covers pixels i * stride - pad + j *
/// dilation for each j below the kernel size.
struct BlockAxis {
  std::int64_t image = 1;
  std::int64_t blocks = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;
};

/// Adds columns [planes, kernel positions, blocks] to y [planes, image]; integers wrap. `axes`,
/// outermost first, is not empty. Sums run over kernel positions in order. T: float, double,
/// unsigned integers.
template <typename T>
void col2im(std::int64_t planes, const std::vector<BlockAxis>& axes, const T* columns, T* y,
            Workers& workers);

}  // namespace ortool::cpu
