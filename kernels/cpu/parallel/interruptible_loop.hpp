// Interruptible loops: splits a long loop of one task into chunks and polls for a stop request
// before each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Elements that a plain loop processes in about a millisecond.
constexpr std::int64_t piece_elements = std::int64_t{1} << 19;

/// Calls body(begin, end) for consecutive chunks of [0, count). Throws if a stop is requested.
template <typename Body>
void interruptible_loop(std::int64_t count, const Workers& workers, Body body) {
  for (std::int64_t begin = 0; begin < count; begin += piece_elements) {
    workers.poll();
    body(begin, std::min(begin + piece_elements, count));
  }
}

}  // namespace ortool::cpu
