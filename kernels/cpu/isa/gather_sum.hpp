// Gathered weighted sums (interpolation), one function per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Tap k of output i is from[index[k * stride + i]] times weight[k * stride + i]; taps with a
/// negative index are skipped.
struct GatherSum {
  const float* from;
  const int32_t* index;
  const float* weight;
  int64_t taps;
  int64_t stride;
  int64_t count;
  float* out;
};

using GatherSumFunction = void (*)(const GatherSum& sum);

ORTOOL_ISA_KERNEL(GatherSumFunction, gather_sum_function, baseline, avx2, avx512)

}  // namespace ortool::cpu
