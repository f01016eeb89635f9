// Roofline model: Williams, Waterman, Patterson, An insightful visual performance model (2009).
#include "libcore/measure/roofline.hpp"

#include <algorithm>

namespace ortool {

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute";
    case Bound::memory:
      return "memory";
    case Bound::cache:
      return "cache";
    case Bound::overhead:
      return "overhead";
    default:
      return "unknown";
  }
}

Bound bound_of(const NodeWork& work, const MachineLimits& limits) {
  if ((work.flops <= 0 && work.bytes <= 0) || work.seconds <= 0) return Bound::unknown;
  if (limits.gflops <= 0 || limits.memory_gbytes_per_s <= 0) return Bound::unknown;
  const bool is_cached = work.bytes <= static_cast<double>(limits.cache_bytes);
  const double speed = is_cached ? limits.cache_gbytes_per_s : limits.memory_gbytes_per_s;
  const double compute_seconds = work.flops / limits.gflops * 1e-9;
  const double bytes_seconds = work.bytes / std::max(speed, limits.memory_gbytes_per_s) * 1e-9;
  const double min_seconds = std::max(compute_seconds, bytes_seconds);
  if (3 * work.seconds < min_seconds) return Bound::unknown;
  if (work.seconds > 10 * min_seconds) return Bound::overhead;
  if (compute_seconds >= bytes_seconds) return Bound::compute;
  return is_cached ? Bound::cache : Bound::memory;
}

}  // namespace ortool
