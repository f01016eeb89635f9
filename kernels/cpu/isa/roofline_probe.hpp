// Roofline probe: loops that measure peak arithmetic throughput and memory bandwidth.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

struct RooflineLoops {
  /// Multiplies and adds floats in registers, `rounds` times flops_per_round operations; a
  /// multiplication and an addition count as two. Returns a sum, so that the work is not optimized
  /// away.
  float (*multiply_add)(int64_t rounds);
  double flops_per_round;
  /// out[i] = a[i] + b[i]: reads two blocks of floats and writes one. `count` is a multiple of 64.
  void (*add_blocks)(const float* a, const float* b, int64_t count, float* out);
};

ORTOOL_ISA_KERNEL(RooflineLoops, roofline_loops, baseline, neon, avx2, avx512)

}  // namespace ortool::cpu
