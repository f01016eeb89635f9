// Sums and products of all elements up to each along an axis.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// A tensor seen as outer × axis × inner.
struct CumulativeSizes {
  std::int64_t outer = 1;
  std::int64_t axis = 0;
  std::int64_t inner = 1;
};

struct CumulativeForm {
  bool multiplies = false;  ///< else adds
  bool exclusive = false;   ///< each element itself does not count
  bool reverse = false;     ///< from the end on
};

/// `type`: a float or an integer of 32 or 64 bits. Floats add up in float64 and are rounded for
/// each output; integers wrap. Lines are never cut. `out` may be `in`.
void cumulative(CumulativeForm form, DataType type, const void* in, void* out,
                CumulativeSizes sizes, Workers& workers);

}  // namespace ortool::cpu
