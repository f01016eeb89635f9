// The tasks of one parallel_for, as the threads that work on it see them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool {

/// Tasks in a row that one thread begins with.
struct alignas(64) Lane {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

/// Shared by the threads that work on it, alive until all have left. Each thread
/// begins with tasks of its own, the same ones whenever a job of as many tasks is shared: what it
/// made in the job before lies in its cache. Then it takes what others have not begun.
struct ParallelJob {
  static constexpr int most_lanes = 16;

  ParallelJob(FunctionRef<void(std::int64_t)> given, std::int64_t tasks, const StopToken* token,
              int threads)
      : body(given), stop(token), lane_count(std::min(threads, most_lanes)), active(threads - 1) {
    for (int i = 0; i < lane_count; ++i) {
      lanes[i].next.store(tasks * i / lane_count, std::memory_order_relaxed);
      lanes[i].end = tasks * (i + 1) / lane_count;
    }
  }

  FunctionRef<void(std::int64_t)> body;
  const StopToken* stop;
  int lane_count;
  std::atomic<int> active;  ///< helpers that have not left
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  Lane lanes[most_lanes];

  bool work_once(Lane& lane) noexcept {
    if (failed.load(std::memory_order_relaxed)) return false;
    if (lane.next.load(std::memory_order_relaxed) >= lane.end) return false;
    const std::int64_t task = lane.next.fetch_add(1, std::memory_order_relaxed);
    if (task >= lane.end) return false;
    try {
      if (stop != nullptr) stop->poll();
      body(task);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
    return true;
  }

  /// Does one task of thread `number`, or of another; false when there is none left.
  bool work_once(int number) noexcept {
    for (int i = 0; i < lane_count; ++i) {
      if (work_once(lanes[(number + i) % lane_count])) return true;
    }
    return false;
  }

  void work(int number) noexcept {
    while (work_once(number)) {
    }
  }

  std::int64_t tasks_left() const {
    std::int64_t left = 0;
    for (int i = 0; i < lane_count; ++i) {
      const std::int64_t next = lanes[i].next.load(std::memory_order_relaxed);
      left += std::max<std::int64_t>(lanes[i].end - next, 0);
    }
    return left;
  }
};

}  // namespace ortool
