// Depthwise convolution of NCHW planes, one kernel per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Output rows [row_begin, row_end) of consecutive planes, each with its own weights and bias.
/// Pixels are row-major.
struct DepthwisePlanes {
  const float* in;
  const float* weights;
  const float* bias;      ///< one per plane, or null
  float* out;             ///< the first row of the first plane
  const float* residual;  ///< laid out like out, or null
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
  Activation activation;
  float low;
  float high;
};

/// Returns 0 if there is no variant for these sizes.
using DepthwisePlanesFunction = int32_t (*)(const DepthwisePlanes& planes);

ORTOOL_ISA_KERNEL(DepthwisePlanesFunction, depthwise_planes_function, avx2, avx512)

}  // namespace ortool::cpu
