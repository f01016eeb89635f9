// A new axis on which one place is on.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// indices: outer × inner, out: outer × depth × inner.
struct OneHotSizes {
  std::int64_t outer = 1;
  std::int64_t depth = 1;
  std::int64_t inner = 1;
};

/// out[o, d, i] = the second element at `values` where indices[o, i] is d, else the first. Indices
/// are numbers of `type`, fractions dropped; one below 0 counts from the end where
/// `counts_from_end`; one outside the depth is on nowhere.
void one_hot(DataType type, const void* indices, const void* values, void* out, OneHotSizes sizes,
             bool counts_from_end, std::int64_t element_bytes, Workers& workers);

}  // namespace ortool::cpu
