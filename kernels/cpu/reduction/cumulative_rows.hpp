// Row loops of cumulative sums in float32, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

struct CumulativeRowFunctions {
  /// totals[i] += in[i], and out[i] = totals[i] before (`exclusive`) or after that.
  void (*add_row)(const float* in, int64_t count, int exclusive, double* totals, float* out);
};

ORTOOL_ISA_KERNEL(CumulativeRowFunctions, cumulative_row_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
