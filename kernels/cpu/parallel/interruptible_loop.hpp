// Interruptible loops: long loops of a single task in chunks, with a look at whether to stop before
// each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Elements that plain loops pass in about a millisecond.
constexpr std::int64_t piece_elements = std::int64_t{1} << 19;

/// Calls body(begin, end) for consecutive pieces of [0, count). Throws when a stop is requested.
template <typename Body>
void interruptible_loop(std::int64_t count, const Workers& workers, Body body) {
  for (std::int64_t begin = 0; begin < count; begin += piece_elements) {
    workers.poll();
    body(begin, std::min(begin + piece_elements, count));
  }
}

}  // namespace ortool::cpu
