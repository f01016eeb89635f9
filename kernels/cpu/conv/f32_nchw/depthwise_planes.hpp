// Depthwise convolution of NCHW planes, one kernel per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Output rows [row_begin, row_end) of consecutive planes, each with its own weights and bias,
/// which is added last, as in the other algorithms. Pixels are row-major.
struct DepthwisePlanes {
  const float* in;
  const float* weights;
  float* out;  ///< the first row of the first plane
  int64_t planes;
  int64_t in_rows;
  int64_t in_columns;
  int64_t out_rows;
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
  EpilogueTile epilogue;  ///< one bias per plane; the residual is laid out like out
};

/// Returns 0 if there is no variant for these sizes.
using DepthwisePlanesFunction = int32_t (*)(const DepthwisePlanes& planes);

ORTOOL_ISA_KERNEL(DepthwisePlanesFunction, depthwise_planes_function, neon, avx2, avx512)

}  // namespace ortool::cpu
