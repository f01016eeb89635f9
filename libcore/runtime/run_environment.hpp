// Run environment: what a run of a session passes to all graphs and bodies.
#pragma once

#include <chrono>
#include <mutex>
#include <span>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/provider/device/device_report.hpp"
#include "libcore/runtime/feedback/value_memory.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

struct RunEnvironment {
  Workers& workers;
  MemoryCap* cap = nullptr;
  Profile* profile = nullptr;
  DeviceReport* device = nullptr;       ///< of all kernels on devices
  ValueMemory* value_memory = nullptr;  ///< null: values are on the host
  std::span<RunValue> given_away = {};  ///< inputs of the main graph that may be freed once read
  ValueObserver* observer = nullptr;
  Progress* progress = nullptr;  ///< of the main graph
  std::chrono::steady_clock::time_point start = {};
  std::mutex* profile_mutex = nullptr;  ///< of both, for kernels that run concurrently

  std::int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                start)
        .count();
  }
  bool is_timed() const { return profile != nullptr || device != nullptr; }
  /// Whether nodes inside kernels are timed.
  bool wants_events() const {
    return profile != nullptr || (device != nullptr && device->wants_events);
  }
  /// An empty report, which asks a kernel for what is wanted of it.
  DeviceReport new_report() const {
    return {.wants_events = wants_events(),
            .wants_clocks = device != nullptr && device->wants_clocks};
  }
  void poll() const {
    if (workers.stop() != nullptr) workers.stop()->poll();
  }
};

}  // namespace ortool
