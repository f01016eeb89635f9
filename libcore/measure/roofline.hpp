// What bounds a computation: the processor's arithmetic, its memory, or what surrounds it.
#pragma once

#include <cstdint>
#include <string_view>

namespace ortool {

/// What the machine gave to loops that do nothing else, with the threads that were asked for.
struct MachineLimits {
  double gflops = 0;               ///< float32 multiply-adds, two operations each
  double memory_gbytes_per_s = 0;  ///< read and written, in blocks far beyond cache_bytes
  double cache_gbytes_per_s = 0;   ///< the same in blocks of cache_bytes
  std::int64_t cache_bytes = 0;
};

/// What a node computes and touches, and how long it took.
struct NodeWork {
  double flops = 0;
  double bytes = 0;
  double seconds = 0;
};

enum class Bound { compute, memory, cache, overhead, unknown };

/// "compute", "memory", "cache", "overhead", "unknown".
std::string_view name_of(Bound bound);

/// The least time the limits allow for the work decides: of its arithmetic or of its bytes,
/// whichever is longer; bytes that fit the cache count at its speed. Overhead: it took over ten
/// times that. Unknown where it took less than a third of that, since what was counted was not done
/// (a concatenation in place moves nothing), and where neither operations nor bytes are known.
Bound bound_of(const NodeWork& work, const MachineLimits& limits);

}  // namespace ortool
