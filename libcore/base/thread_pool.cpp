// Workers that spin briefly, then sleep; jobs are handed over one cache line a worker.
#include "libcore/base/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <immintrin.h>
#include <mutex>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

constexpr auto spin_time = std::chrono::microseconds(50);

/// One parallel_for: shared by the threads that work on it, alive until all have left.
struct Job {
  FunctionRef<void(std::int64_t)> body;
  std::int64_t tasks;
  const StopToken* stop;
  std::atomic<std::int64_t> next{0};
  std::atomic<int> active{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;

  void work() noexcept {
    while (!failed.load(std::memory_order_relaxed)) {
      const std::int64_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks) return;
      try {
        if (stop != nullptr) stop->poll();
        body(task);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  }
};

template <typename Condition>
bool spin_until(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      _mm_pause();
    }
  } while (std::chrono::steady_clock::now() < limit);
  return condition();
}

}  // namespace

struct alignas(64) ThreadPool::Worker {
  std::atomic<Job*> job{nullptr};
  std::atomic<bool> taken{false};
  std::atomic<bool> sleeping{false};
  std::atomic<bool> quit{false};
  std::mutex mutex;
  std::condition_variable woken;
  std::thread thread;

  void give(Job* work) {
    job.store(work);
    if (sleeping.load()) {
      const std::lock_guard lock(mutex);
      woken.notify_one();
    }
  }

  /// True when the job was given but not begun: the giver need not wait for a thread that the
  /// system has not yet run.
  bool take_back(Job* work) { return job.compare_exchange_strong(work, nullptr); }

  void loop() {
    const auto has_work = [this] { return job.load() != nullptr || quit.load(); };
    while (true) {
      if (!spin_until(has_work)) {
        std::unique_lock lock(mutex);
        sleeping.store(true);
        woken.wait(lock, has_work);
        sleeping.store(false);
      }
      Job* work = job.exchange(nullptr);
      if (work == nullptr) {
        if (quit.load()) return;
        continue;  // taken back before it was begun
      }
      work->work();
      work->active.fetch_sub(1);
    }
  }
};

struct ThreadPool::State {
  std::vector<std::unique_ptr<Worker>> workers;
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = available_processors();
  for (int i = 1; i < threads; ++i) {
    auto worker = std::make_unique<Worker>();
    try {
      worker->thread = std::thread([raw = worker.get()] { raw->loop(); });
    } catch (const std::system_error&) {
      break;
    }
    state_->workers.push_back(std::move(worker));
  }
}

ThreadPool::~ThreadPool() {
  for (auto& worker : state_->workers) {
    {
      const std::lock_guard lock(worker->mutex);
      worker->quit.store(true);
    }
    worker->woken.notify_one();
    worker->thread.join();
  }
}

int ThreadPool::size() const {
  return static_cast<int>(state_->workers.size()) + 1;
}

Workers::Workers(ThreadPool& pool, int threads, const StopToken* stop) : pool_(&pool), stop_(stop) {
  const int wanted = std::min(threads - 1, most_workers);
  for (auto& worker : pool.state_->workers) {
    if (taken_count_ >= wanted) break;
    if (!worker->taken.exchange(true)) taken_[taken_count_++] = worker.get();
  }
}

Workers::~Workers() {
  for (int i = 0; i < taken_count_; ++i) taken_[i]->taken.store(false);
}

void Workers::parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  if (tasks <= 0) return;
  if (taken_count_ == 0 || tasks == 1 || busy_) {
    for (std::int64_t task = 0; task < tasks; ++task) {
      if (stop_ != nullptr) stop_->poll();
      body(task);
    }
    return;
  }
  Job job{.body = body, .tasks = tasks, .stop = stop_};
  const int helpers = static_cast<int>(std::min<std::int64_t>(taken_count_, tasks - 1));
  job.active.store(helpers);
  busy_ = true;
  for (int i = 0; i < helpers; ++i) taken_[i]->give(&job);
  job.work();
  for (int i = 0; i < helpers; ++i) {
    if (taken_[i]->take_back(&job)) job.active.fetch_sub(1);
  }
  while (!spin_until([&job] { return job.active.load() == 0; })) std::this_thread::yield();
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

int available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int processors = 1;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) processors = CPU_COUNT(&set);
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (file >> quota >> period && quota != "max" && period > 0) {
    const int allowed = static_cast<int>(std::lround(std::stod(quota) / period));
    processors = std::min(processors, allowed);
  }
  return std::max(processors, 1);
}

}  // namespace ortool
