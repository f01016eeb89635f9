// Convolution of one plane with one kernel, an instruction-set level each.
#pragma once

#include <stdint.h>

#include "kernels/cpu/gemm_tile.hpp"

namespace ortool::cpu {

/// Output rows [row_begin, row_end) of one plane of height × width pixels. Sums start from `bias`.
struct DepthwisePlane {
  const float* in;
  const float* weights;
  float* out;             ///< the plane's first row
  const float* residual;  ///< as out, or null
  int64_t in_rows;
  int64_t in_columns;
  int64_t out_columns;
  int64_t row_begin;
  int64_t row_end;
  int64_t kernel_rows;
  int64_t kernel_columns;
  int64_t row_stride;
  int64_t column_stride;
  int64_t row_dilation;
  int64_t column_dilation;
  int64_t row_pad;
  int64_t column_pad;
  float bias;
  Activation activation;
  float low;
  float high;
};

namespace avx2 {
/// Returns 0 when it has no variant for these sizes.
int32_t depthwise_plane(const DepthwisePlane& plane);
}  // namespace avx2
namespace avx512 {
int32_t depthwise_plane(const DepthwisePlane& plane);
}  // namespace avx512

}  // namespace ortool::cpu
