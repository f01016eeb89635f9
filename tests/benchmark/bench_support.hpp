// Helpers of the kernel benchmark: timing and filled buffers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "libcore/base/memory/aligned_buffer.hpp"

namespace ortool::cpu::bench {

/// The fastest run of `body` in seconds, measured for about `budget` seconds.
template <typename Body>
double best_seconds(double budget, Body&& body) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  body();
  const auto first = Clock::now();
  double best = 1e30;
  do {
    const auto start = Clock::now();
    body();
    best = std::min(best, seconds_since(start));
  } while (seconds_since(first) < budget);
  return best;
}

/// Aligned floats with small values of both signs.
inline AlignedBuffer filled(std::int64_t count) {
  AlignedBuffer buffer(count * 4 + 64, nullptr, "a benchmark");
  auto* values = buffer.as<float>();
  std::uint32_t state = 12345;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values[i] = static_cast<float>(state >> 8) / static_cast<float>(1U << 24) - 0.5F;
  }
  return buffer;
}

}  // namespace ortool::cpu::bench
