// One worker thread of a pool: spins for a while, then sleeps until it is woken.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "libcore/base/parallel/parallel_job.hpp"
#include "libcore/base/parallel/thread_count_heuristic.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool {

/// Leaves the core to its other hardware thread for a moment, while this one waits.
inline void pause_processor() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// True as soon as `condition()` holds; false if it did not within 50 us.
template <typename Condition>
bool spin_until(Condition condition) {
  using Clock = std::chrono::steady_clock;
  constexpr auto spin_time = std::chrono::microseconds(50);
  const auto limit = Clock::now() + spin_time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      pause_processor();
    }
  } while (Clock::now() < limit);
  return condition();
}

struct alignas(64) ThreadPool::Worker {
  using Clock = std::chrono::steady_clock;
  static constexpr int no_processor = -1;
  static constexpr auto min_patience = std::chrono::microseconds(100);

  std::atomic<ParallelJob*> job{nullptr};
  int number = 0;  ///< index among the job's threads; set before the job
  std::atomic<bool> taken{false};
  std::atomic<bool> engaged{false};  ///< by a run that has shared work
  std::atomic<bool> sleeping{false};
  std::atomic<bool> missed{false};  ///< a job was withdrawn; another may follow soon
  std::atomic<bool> quit{false};
  std::atomic<bool> was_of_use{true};  ///< since the last wake-up
  std::mutex mutex;
  std::condition_variable woken;
  std::thread thread;
  int processor = no_processor;    ///< to which the thread is bound
  bool has_own_processor = false;  ///< not shared with another thread of the pool

  /// State of the run that took this worker first: time spent on jobs, time that runs spent on jobs
  /// since `window_begin` while workers slept, and the threshold of that time for waking one.
  Clock::duration in_jobs = {};
  Clock::duration alone = {};
  Clock::time_point window_begin;
  Clock::duration patience = min_patience;
  ThreadCountHeuristic heuristic;

  void wake();
  /// Withdraws a job that was handed over but not started, so that the caller need not wait for a
  /// thread that is not scheduled yet. Returns whether that succeeded.
  bool take_back(ParallelJob* work);
  /// The thread's main loop, until it is told to quit.
  void loop();

 private:
  void bind() const;
  void sleep();
};

}  // namespace ortool
