// Arena allocation: offsets of buffers by lifetime, so that disjoint lifetimes can share memory.
#pragma once

#include <cstdint>
#include <span>

namespace ortool {

/// Of every buffer's offset.
inline constexpr std::int64_t arena_alignment = 64;

/// A buffer that is live from the step that writes it to the last one that reads it, inclusive.
struct PlannedBuffer {
  std::int64_t bytes = 0;
  std::int32_t first_step = 0;
  std::int32_t last_step = 0;
  std::int64_t offset = 0;  ///< the result, a multiple of 64
};

/// Sets every buffer's offset; returns the arena's size in bytes. Allocates the lowest gap that
/// fits, step by step, so that the arena stays small and its low end in cache; or, of up to 1024
/// buffers, the largest first, where that makes an arena of megabytes smaller by some percent.
/// Takes O(n log n) time for any number.
std::int64_t plan_memory(std::span<PlannedBuffer> buffers);

}  // namespace ortool
