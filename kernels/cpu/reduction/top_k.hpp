// TopK: the largest or smallest elements along an axis, sorted, with their positions.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// A tensor viewed as outer × axis × inner; the outputs are outer × k × inner.
struct TopKSizes {
  std::int64_t outer = 1;
  std::int64_t axis = 0;
  std::int64_t inner = 1;
  std::int64_t k = 0;  ///< at most `axis`
};

/// Bytes of workspace for a run by up to `threads` threads.
std::int64_t top_k_workspace_bytes(const TopKSizes& sizes, int threads);

/// Best first; of equal elements the first ones. NaN is larger than every number, and -0 equals 0.
/// `type` is floating-point or an integer. `workspace` must be sized for at least workers.count()
/// threads.
void top_k(bool largest, DataType type, const void* in, void* values, std::int64_t* indices,
           const TopKSizes& sizes, void* workspace, Isa isa, Workers& workers);

}  // namespace ortool::cpu
