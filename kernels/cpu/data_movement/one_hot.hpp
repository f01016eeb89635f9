// OneHot: inserts an axis along which one element is set to the on value.
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

/// out[o, d, i] = the second element at `values` if indices[o, i] equals d, else the first. Indices
/// are of numeric type `type`; fractions are truncated. Negative indices count from the end if
/// `counts_from_end`; indices outside the depth set no element.
void one_hot(DataType type, const void* indices, const void* values, void* out, OneHotSizes sizes,
             bool counts_from_end, std::int64_t element_bytes, Workers& workers);

}  // namespace ortool::cpu
