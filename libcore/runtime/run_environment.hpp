// Run environment: what a run of a session passes to all graphs and bodies.
#pragma once

#include <chrono>
#include <mutex>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

struct RunEnvironment {
  Workers& workers;
  MemoryCap* cap = nullptr;
  Profile* profile = nullptr;
  ValueObserver* observer = nullptr;
  Progress* progress = nullptr;  ///< of the main graph
  std::chrono::steady_clock::time_point start = {};
  std::mutex* profile_mutex = nullptr;  ///< for kernels that run concurrently

  std::int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                start)
        .count();
  }
  void poll() const {
    if (workers.stop() != nullptr) workers.stop()->poll();
  }
};

}  // namespace ortool
