// One thread of a pool: it spins for a while, then sleeps until it is woken.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <immintrin.h>
#include <mutex>
#include <thread>

#include "libcore/base/parallel/parallel_job.hpp"
#include "libcore/base/parallel/thread_count_heuristic.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool {

/// True as soon as `condition()` holds, false when it did not for 50 us.
template <typename Condition>
bool spin_until(Condition condition) {
  using Clock = std::chrono::steady_clock;
  constexpr auto spin_time = std::chrono::microseconds(50);
  const auto limit = Clock::now() + spin_time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      _mm_pause();
    }
  } while (Clock::now() < limit);
  return condition();
}

struct alignas(64) ThreadPool::Worker {
  using Clock = std::chrono::steady_clock;
  static constexpr int no_processor = -1;
  static constexpr auto least_patience = std::chrono::microseconds(100);

  std::atomic<ParallelJob*> job{nullptr};
  int number = 0;  ///< among the job's threads; set before the job
  std::atomic<bool> taken{false};
  std::atomic<bool> engaged{false};  ///< by a run that has shared something
  std::atomic<bool> sleeping{false};
  std::atomic<bool> missed{false};  ///< a job was taken back: another may follow soon
  std::atomic<bool> quit{false};
  std::atomic<bool> was_of_use{true};  ///< since it was woken
  std::mutex mutex;
  std::condition_variable woken;
  std::thread thread;
  int processor = no_processor;    ///< that it is bound to
  bool has_own_processor = false;  ///< no other thread of the pool waits for it

  /// Kept by the run that has taken this worker first: what it spent on jobs; what runs spent since
  /// `window_begin` while sleepers slept, and how much of that makes them wake one.
  Clock::duration in_jobs = {};
  Clock::duration alone = {};
  Clock::time_point window_begin;
  Clock::duration patience = least_patience;
  SharingHabits habits;

  void wake();
  /// True when the job was given but not begun: the giver need not wait for a thread that the
  /// system has not yet run.
  bool take_back(ParallelJob* work);
  /// What the thread does until it is told to quit.
  void loop();

 private:
  void bind() const;
  void sleep();
};

}  // namespace ortool
