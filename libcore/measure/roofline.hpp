// Roofline model: what bounds a computation - arithmetic, memory bandwidth, or overhead.
#pragma once

#include <cstdint>
#include <string_view>

namespace ortool {

/// The machine's peak rates, measured by microbenchmarks with the requested threads.
struct MachineLimits {
  double gflops = 0;               ///< float32 multiply-adds, two operations each
  double memory_gbytes_per_s = 0;  ///< read and written, in blocks far larger than cache_bytes
  double cache_gbytes_per_s = 0;   ///< the same in blocks of cache_bytes
  std::int64_t cache_bytes = 0;
};

/// The operations and memory traffic of a node, and its time.
struct NodeWork {
  double flops = 0;
  double bytes = 0;
  double seconds = 0;
};

enum class Bound { compute, memory, cache, overhead, unknown };

/// "compute", "memory", "cache", "overhead", "unknown".
std::string_view name_of(Bound bound);

/// Decided by the minimum time for the work: that of its arithmetic or of its memory traffic,
/// whichever is longer; data that fit the cache count at cache bandwidth. Overhead: the node took
/// more than ten times the minimum. Unknown: it took less than a third of the minimum, so the
/// counted work was not done (an in-place concatenation moves nothing), or neither operations nor
/// traffic are known.
Bound bound_of(const NodeWork& work, const MachineLimits& limits);

}  // namespace ortool
