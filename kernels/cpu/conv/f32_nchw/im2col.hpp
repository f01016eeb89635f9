// im2col: packs the windows of a convolution as columns of a matrix, one panel at a time.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// The windows of `columns` output pixels from `first` on (in row-major order), for all channels of
/// a group. Dimensions are depth, height, width; unused leading ones are 1.
struct Im2colPanel {
  const float* image;
  int64_t channel_stride;
  int64_t channels;
  int64_t in[3];
  int64_t out[3];
  int64_t kernel[3];
  int64_t stride[3];
  int64_t dilation[3];
  int64_t pad[3];
  int64_t first;
  int32_t columns;
  int32_t width;  ///< columns stored; those past `columns` are zero
  float* to;      ///< (channels * kernel positions) × width
};

using Im2colFunction = void (*)(const Im2colPanel& columns);

ORTOOL_ISA_KERNEL(Im2colFunction, im2col_function, baseline, avx512)

}  // namespace ortool::cpu
