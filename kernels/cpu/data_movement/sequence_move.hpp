// ReverseSequence and TensorScatter: moves entries of batched sequences along the time axis.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// A tensor whose first two dimensions are time and batch, in either order.
struct SequenceSizes {
  std::int64_t times = 0;
  std::int64_t batch = 0;
  bool is_batch_first = false;
  std::int64_t entry_bytes = 1;  ///< product of the remaining dimensions
};

/// Reverses the first lengths[b] entries of each sequence and copies the others unchanged. Throws
/// ErrorCode::invalid for a length outside [0, times].
void reverse_sequences(const void* in, const std::int64_t* lengths, void* out, SequenceSizes sizes,
                       Workers& workers);

/// Caches of batch × outer × times × entry.
struct CacheSizes {
  std::int64_t batch = 0;
  std::int64_t outer = 1;
  std::int64_t times = 0;
  std::int64_t written = 0;  ///< time steps of an update, at most `times`
  std::int64_t entry_bytes = 1;
};

/// Writes the updates (batch × outer × written × entry) into `cache` from time first[b] on (null:
/// 0). Writing past the end continues at the start if `wraps`; otherwise it throws
/// ErrorCode::invalid, as a negative time does.
void write_into_cache(void* cache, const void* updates, const std::int64_t* first, bool wraps,
                      CacheSizes sizes, Workers& workers);

}  // namespace ortool::cpu
