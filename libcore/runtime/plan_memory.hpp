// Laying buffers out in one arena so that those never alive together may share bytes.
#pragma once

#include <cstdint>
#include <span>

namespace ortool {

/// Of every buffer's offset.
inline constexpr std::int64_t arena_alignment = 64;

/// Bytes that are alive from the step that writes them to the last that reads them, both included.
struct PlannedBuffer {
  std::int64_t bytes = 0;
  std::int32_t first_step = 0;
  std::int32_t last_step = 0;
  std::int64_t offset = 0;  ///< the result, a multiple of 64
};

/// Sets every buffer's offset; returns the arena's size in bytes. Takes the lowest gap that fits,
/// step by step, so that the arena stays small and its low end warm. Time is O(n log n).
std::int64_t plan_memory(std::span<PlannedBuffer> buffers);

}  // namespace ortool
