// Thread pool whose workers spin briefly, then sleep; jobs are handed over by one cache line per
// worker. Handing a job to a spinning thread costs less than a microsecond; waking a sleeping one
// costs some 15 us of the caller and 30 to 70 us until it runs, as measured on a virtual machine.
// So sleepers are woken only if the last run had much to share, or if this one, or many short ones
// in a row, turn out to (decision 0019).
#include "libcore/base/parallel/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/parallel/parallel_job.hpp"
#include "libcore/base/parallel/pool_worker.hpp"

namespace ortool {
namespace {

using Clock = std::chrono::steady_clock;

/// Minimum remaining work, in one thread's time, for waking a sleeping worker.
constexpr auto worth_waking = std::chrono::microseconds(50);
/// A run that spends this time on jobs lets the next one wake workers at once.
constexpr auto much_shared = std::chrono::microseconds(100);
/// Short runs wake workers when they spent that much on jobs within one such window ...
constexpr auto window = std::chrono::milliseconds(1);
/// ... and later and later if woken workers fell asleep again before there was work for them.
constexpr auto max_patience = std::chrono::milliseconds(1);

/// Never 0.
std::uint64_t key_of_step(const void* step, std::int64_t tasks, int helpers) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(step) * factor;
  key = (key ^ static_cast<std::uint64_t>(tasks)) * factor;
  key = (key ^ static_cast<std::uint64_t>(helpers)) * factor;
  return (key ^ (key >> 29U)) | 1U;
}

/// The processors on which this thread may run; empty when the system does not say.
std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) processors.push_back(processor);
  }
  return processors;
}

}  // namespace

struct ThreadPool::State {
  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<bool> expects_much{true};
  std::atomic<int> runs{0};  ///< currently active

  ~State() {
    for (auto& worker : workers) {
      {
        const std::lock_guard lock(worker->mutex);
        worker->quit.store(true);
      }
      worker->woken.notify_one();
      worker->thread.join();
    }
  }

  /// Number of workers for a run such that each other run keeps a processor for its own thread.
  int room() const {
    return static_cast<int>(workers.size()) + 1 - runs.load(std::memory_order_relaxed);
  }

  /// Moves the calling thread off a processor to which a worker is bound, where the two would be
  /// time-sliced.
  void step_aside() const {
    const int here = sched_getcpu();
    const auto sits_here = [&](const auto& worker) { return worker->processor == here; };
    if (here < 0 || std::none_of(workers.begin(), workers.end(), sits_here)) return;
    cpu_set_t before;
    CPU_ZERO(&before);
    if (sched_getaffinity(0, sizeof(before), &before) != 0) return;
    cpu_set_t free = before;
    for (const auto& worker : workers) CPU_CLR(static_cast<std::size_t>(worker->processor), &free);
    if (CPU_COUNT(&free) == 0 || sched_setaffinity(0, sizeof(free), &free) != 0) return;
    static_cast<void>(sched_setaffinity(0, sizeof(before), &before));
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  const int available = available_processors();
  if (threads <= 0) threads = available;
  // With one thread for each processor, workers are bound: a scheduler that wakes threads on the
  // waker's processor would stall both. With fewer threads, the system places them.
  std::vector<int> processors = allowed_processors();
  const int here = sched_getcpu();
  processors.erase(std::remove(processors.begin(), processors.end(), here), processors.end());
  const bool binds = threads == available && static_cast<int>(processors.size()) == threads - 1;
  state_->workers.reserve(static_cast<std::size_t>(std::max(threads - 1, 0)));
  try {
    for (int i = 1; i < threads; ++i) {
      auto worker = std::make_unique<Worker>();
      worker->has_own_processor = threads <= available;
      if (binds) worker->processor = processors[static_cast<std::size_t>(i - 1)];
      worker->thread = std::thread([raw = worker.get()] { raw->loop(); });
      state_->workers.push_back(std::move(worker));
    }
  } catch (const std::system_error&) {  // the system refuses more threads; use those that exist
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::size() const {
  return static_cast<int>(state_->workers.size()) + 1;
}

Workers::Workers(ThreadPool& pool, int threads, const StopToken* stop) : pool_(&pool), stop_(stop) {
  // Each active run has a thread of its own; more workers than the remaining processors would
  // compete with them.
  const int others = pool.state_->runs.fetch_add(1);
  const int wanted = std::min({threads - 1, max_workers, pool.size() - 1 - others});
  for (auto& worker : pool.state_->workers) {
    if (taken_count_ >= wanted) break;
    if (!worker->taken.exchange(true)) taken_[taken_count_++] = worker.get();
  }
  if (taken_count_ == 0) return;
  taken_[0]->in_jobs = {};
  taken_[0]->heuristic.begin_run();
  if (taken_[0]->processor != ThreadPool::Worker::no_processor) pool.state_->step_aside();
}

Workers::~Workers() {
  if (pool_ != nullptr) pool_->state_->runs.fetch_sub(1);
  if (taken_count_ > 0) {
    taken_[0]->heuristic.end_run();
    const bool had_much = taken_[0]->in_jobs > much_shared;
    std::atomic<bool>& expects_much = pool_->state_->expects_much;
    if (expects_much.load(std::memory_order_relaxed) != had_much)
      expects_much.store(had_much, std::memory_order_relaxed);
  }
  for (int i = 0; i < taken_count_; ++i) {
    taken_[i]->engaged.store(false, std::memory_order_relaxed);
    taken_[i]->taken.store(false);
  }
}

void Workers::parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  if (tasks <= 0) return;
  const auto do_alone = [&] {
    for (std::int64_t task = 0; task < tasks; ++task) {
      if (stop_ != nullptr) stop_->poll();
      body(task);
    }
  };
  if (taken_count_ == 0 || tasks == 1 || busy_) return do_alone();
  ThreadCountHeuristic& heuristic = taken_[0]->heuristic;
  const int room = pool_->state_->room();
  if (room < taken_count_) heuristic.set_oversubscribed();
  const bool is_named = step_ != nullptr;
  if (is_named && jobs_of_step_++ == 0)
    heuristic.begin_step(key_of_step(step_, tasks, taken_count_));
  if (!is_named || heuristic.mode() == StepTimings::Mode::shared) {
    if (room > 0) return share(tasks, body);
    heuristic.forget_step();
    for (int i = 0; i < taken_count_; ++i)
      taken_[i]->engaged.store(false, std::memory_order_relaxed);
  }
  busy_ = true;
  try {
    do_alone();
  } catch (...) {
    busy_ = false;
    heuristic.forget_step();
    throw;
  }
  busy_ = false;
  heuristic.end_job(false);
}

/// Runs a job with all workers that can take part in it.
void Workers::share(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  const int room = std::clamp(pool_->state_->room(), 1, taken_count_);
  const int helpers = static_cast<int>(std::min<std::int64_t>(room, tasks - 1));
  ParallelJob job(body, tasks, stop_, helpers + 1);
  busy_ = true;
  bool is_one_asleep = false;
  for (int i = 0; i < helpers; ++i) {
    taken_[i]->number = i + 1;
    taken_[i]->engaged.store(true, std::memory_order_relaxed);
    taken_[i]->job.store(&job);
    if (taken_[i]->sleeping.load()) is_one_asleep = true;
  }
  const auto wake_sleepers = [&] {
    for (int i = 0; i < helpers; ++i) {
      if (taken_[i]->sleeping.load()) taken_[i]->wake();
    }
  };
  ThreadPool::Worker& own = *taken_[0];
  const auto begin = Clock::now();
  if (is_one_asleep && pool_->state_->expects_much.load(std::memory_order_relaxed)) {
    wake_sleepers();
  } else if (is_one_asleep) {
    if (begin - own.window_begin > window) {
      own.window_begin = begin;
      own.alone = {};
    }
    for (std::int64_t done = 1; job.work_once(0); ++done) {
      const auto spent = Clock::now() - begin;
      const std::int64_t left = job.tasks_left();
      const bool is_worth_it = left > 1 && spent * left > worth_waking * done;
      if (!is_worth_it && own.alone + spent < own.patience) continue;
      if (!is_worth_it) {
        own.patience = own.was_of_use.exchange(false)
                           ? Clock::duration(ThreadPool::Worker::min_patience)
                           : std::min<Clock::duration>(2 * own.patience, max_patience);
        own.window_begin = {};
      }
      wake_sleepers();
      break;
    }
    own.alone += Clock::now() - begin;
  }
  job.work(0);
  bool had_help = false;
  for (int i = 0; i < helpers; ++i) {
    if (taken_[i]->take_back(&job)) {
      job.active.fetch_sub(1);
    } else {
      had_help = true;
    }
  }
  while (!spin_until([&job] { return job.active.load() == 0; })) std::this_thread::yield();
  own.in_jobs += Clock::now() - begin;
  own.heuristic.end_job(had_help);
  busy_ = false;
  if (job.error) std::rethrow_exception(job.error);
}

void Workers::parallel_ranges(std::int64_t count, std::int64_t grain,
                              FunctionRef<void(std::int64_t, std::int64_t)> body) {
  ORTOOL_CHECK(grain > 0);
  parallel_for((count + grain - 1) / grain, [&](std::int64_t task) {
    const std::int64_t begin = task * grain;
    body(begin, std::min(begin + grain, count));
  });
}

}  // namespace ortool
