// One pool of worker threads a process; a run borrows the free ones and works on with what it got.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool {

class Workers;

/// The threads of the process. Made once and handed down; sessions share it.
class ThreadPool {
 public:
  /// `threads` counts the calling thread: 1 starts no worker. When the system refuses threads the
  /// pool is smaller. 0 means all that affinity and the control group's quota allow.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The threads there are, the caller's included.
  int size() const;

 private:
  friend class Workers;
  struct Worker;
  struct State;
  std::unique_ptr<State> state_;
};

/// The threads one run works with: the caller and up to `threads - 1` workers that were free.
/// Not safe for several threads; each run has its own.
class Workers {
 public:
  /// The calling thread alone.
  explicit Workers(const StopToken* stop = nullptr) : stop_(stop) {}
  /// Takes the workers that are free now, at most `threads - 1`, and leaves one for each other run
  /// that is under way; fewer, or none, is fine. `stop` (may be null) is polled between tasks. Pool
  /// and token must outlive this.
  Workers(ThreadPool& pool, int threads, const StopToken* stop = nullptr);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return taken_count_ + 1; }

  /// Calls `body(task)` once for each task in [0, tasks), spread over the threads; returns when all
  /// are done. Tasks may run in any order at the same time: each must write its own part, so that
  /// the bits do not depend on the number of threads. The first exception of a task, or a stop
  /// request, ends the remaining tasks and is thrown here. Does not nest: a body that calls it
  /// again gets its tasks run in place.
  void parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body);

  /// Cuts [0, count) into ranges of `grain` items (the last may be shorter) and calls
  /// `body(begin, end)` for each. `grain` must depend on the problem alone.
  void parallel_ranges(std::int64_t count, std::int64_t grain,
                       FunctionRef<void(std::int64_t, std::int64_t)> body);

  /// Names what the next jobs belong to, by an address. A step that comes again is known again, and
  /// one for which sharing does not pay is done alone. Without a name all jobs are shared.
  void begin_step(const void* step) {
    step_ = step;
    jobs_of_step_ = 0;
  }

  const StopToken* stop() const { return stop_; }
  /// Throws when a stop was requested: for what works for long without tasks, every millisecond or
  /// so.
  void poll() const {
    if (stop_ != nullptr) stop_->poll();
  }

 private:
  static constexpr int most_workers = 256;

  void share(std::int64_t tasks, FunctionRef<void(std::int64_t)> body);

  ThreadPool* pool_ = nullptr;
  const StopToken* stop_ = nullptr;
  int taken_count_ = 0;
  bool busy_ = false;
  const void* step_ = nullptr;
  std::uint32_t jobs_of_step_ = 0;
  ThreadPool::Worker* taken_[most_workers] = {};
};

/// The processors this process may use: affinity and the control group's quota, at least 1.
int available_processors();

}  // namespace ortool
