// Depthwise convolution of one input row by one kernel row, for any kernel, stride and dilation.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Adds to each output column the products of the kernel row and the input columns that it reads;
/// columns outside the row are left out.
struct DepthwiseRow {
  const float* in;
  const float* weights;
  float* out;
  int64_t in_columns;
  int64_t out_columns;
  int64_t kernel_columns;
  int64_t stride;
  int64_t dilation;
  int64_t pad;
};

/// Products are added in the order of the kernel's columns, fused where the instruction set has
/// FMA, as in the other algorithms.
using DepthwiseRowFunction = void (*)(const DepthwiseRow& row);

ORTOOL_ISA_KERNEL(DepthwiseRowFunction, depthwise_row_function, baseline, avx2, avx512)

}  // namespace ortool::cpu
