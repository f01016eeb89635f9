// ParallelJob: the tasks of one parallel_for and their distribution to threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool {

/// A range of consecutive tasks, initially assigned to one thread.
struct alignas(64) TaskRange {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

/// Shared by the threads that work on it; alive until all have left. Each thread starts with its
/// own range, which is the same for every job with that many tasks, so that its data from the
/// previous job is still in its cache. Then it steals unstarted tasks of other ranges.
struct ParallelJob {
  static constexpr int max_ranges = 16;

  ParallelJob(FunctionRef<void(std::int64_t)> given, std::int64_t tasks, const StopToken* token,
              int threads)
      : body(given), stop(token), range_count(std::min(threads, max_ranges)), active(threads - 1) {
    for (int i = 0; i < range_count; ++i) {
      ranges[i].next.store(tasks * i / range_count, std::memory_order_relaxed);
      ranges[i].end = tasks * (i + 1) / range_count;
    }
  }

  FunctionRef<void(std::int64_t)> body;
  const StopToken* stop;
  int range_count;
  std::atomic<int> active;  ///< helpers that have not left yet
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  TaskRange ranges[max_ranges];

  bool work_once(TaskRange& range) noexcept {
    if (failed.load(std::memory_order_relaxed)) return false;
    if (range.next.load(std::memory_order_relaxed) >= range.end) return false;
    const std::int64_t task = range.next.fetch_add(1, std::memory_order_relaxed);
    if (task >= range.end) return false;
    try {
      if (stop != nullptr) stop->poll();
      body(task);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
    return true;
  }

  /// Runs one task of thread `number`'s range or another one; returns false when none is left.
  bool work_once(int number) noexcept {
    for (int i = 0; i < range_count; ++i) {
      if (work_once(ranges[(number + i) % range_count])) return true;
    }
    return false;
  }

  void work(int number) noexcept {
    while (work_once(number)) {
    }
  }

  std::int64_t tasks_left() const {
    std::int64_t left = 0;
    for (int i = 0; i < range_count; ++i) {
      const std::int64_t next = ranges[i].next.load(std::memory_order_relaxed);
      left += std::max<std::int64_t>(ranges[i].end - next, 0);
    }
    return left;
  }
};

}  // namespace ortool
