// Thread pool of the process; each run borrows the free workers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "libcore/base/function_ref.hpp"
#include "libcore/base/stop_token.hpp"

namespace ortool {

class Workers;

/// The threads of the process. Created once and passed down; sessions share it.
class ThreadPool {
 public:
  /// `threads` includes the calling thread: 1 starts no worker. 0 means as many as affinity and the
  /// control group's quota allow. The pool is smaller if the system refuses threads.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The number of threads, including the caller's.
  int size() const;

 private:
  friend class Workers;
  struct Worker;
  struct State;
  std::unique_ptr<State> state_;
};

/// The threads of one run: the caller and up to `threads - 1` workers that were free. Not
/// thread-safe; each run has its own object.
class Workers {
 public:
  /// Only the calling thread.
  explicit Workers(const StopToken* stop = nullptr) : stop_(stop) {}
  /// Takes free workers, at most `threads - 1`, and leaves one for each other active run; getting
  /// fewer or none is fine. `stop` (may be null) is polled between tasks. Pool and token must
  /// outlive this object.
  Workers(ThreadPool& pool, int threads, const StopToken* stop = nullptr);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return taken_count_ + 1; }

  /// Calls `body(task)` once for each task in [0, tasks), distributed over the threads; returns
  /// when all are done. Tasks run concurrently in any order, so each must write its own part of the
  /// result, which also makes results independent of the number of threads. The first exception of
  /// a task, or a stop request, cancels the remaining tasks and is rethrown here. Nested calls from
  /// a body run their tasks inline.
  void parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body);

  /// Splits [0, count) into ranges of `grain` items (the last may be shorter) and calls
  /// `body(begin, end)` for each. `grain` must depend only on the problem, not on the number of
  /// threads.
  void parallel_ranges(std::int64_t count, std::int64_t grain,
                       FunctionRef<void(std::int64_t, std::int64_t)> body);

  /// Identifies the step of the following jobs by an address. A recurring step for which sharing
  /// does not pay off runs on one thread. Without a step, all jobs are shared.
  void begin_step(const void* step) {
    step_ = step;
    jobs_of_step_ = 0;
  }

  const StopToken* stop() const { return stop_; }
  /// Throws if a stop was requested. For long work without tasks; to be called every millisecond or
  /// so.
  void poll() const {
    if (stop_ != nullptr) stop_->poll();
  }

 private:
  static constexpr int max_workers = 256;

  void share(std::int64_t tasks, FunctionRef<void(std::int64_t)> body);

  ThreadPool* pool_ = nullptr;
  const StopToken* stop_ = nullptr;
  int taken_count_ = 0;
  bool busy_ = false;
  const void* step_ = nullptr;
  std::uint32_t jobs_of_step_ = 0;
  ThreadPool::Worker* taken_[max_workers] = {};
};

/// The number of processors this process may use, by affinity and control group quota; at least 1.
int available_processors();

}  // namespace ortool
