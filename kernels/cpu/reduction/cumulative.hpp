// Cumulative sums and products along an axis (CumSum, CumProd).
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// A tensor viewed as outer × axis × inner.
struct CumulativeSizes {
  std::int64_t outer = 1;
  std::int64_t axis = 0;
  std::int64_t inner = 1;
};

struct CumulativeParams {
  bool multiplies = false;  ///< otherwise adds
  bool exclusive = false;   ///< excludes the element itself
  bool reverse = false;     ///< from the end
};

/// `type`: floating-point, or an integer of 32 or 64 bits. Floats accumulate in float64 and are
/// rounded at each output; integers wrap. Lines are not split. `out` may be `in`.
void cumulative(CumulativeParams params, DataType type, const void* in, void* out,
                CumulativeSizes sizes, Isa isa, Workers& workers);

}  // namespace ortool::cpu
