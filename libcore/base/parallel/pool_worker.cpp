// Worker thread: a job is handed over by one atomic pointer.
#include "libcore/base/parallel/pool_worker.hpp"

#include <sched.h>

#include "libcore/base/parallel/thread_number.hpp"

namespace ortool {
namespace {

/// How long a worker spins during a run that has shared work.
constexpr auto spin_time_in_run = std::chrono::milliseconds(1);

thread_local int number_in_job = 0;

}  // namespace

int thread_number() {
  return number_in_job;
}

void ThreadPool::Worker::wake() {
  const std::lock_guard lock(mutex);
  sleeping.store(false);
  woken.notify_one();
}

bool ThreadPool::Worker::take_back(ParallelJob* work) {
  if (!job.compare_exchange_strong(work, nullptr)) return false;
  missed.store(true, std::memory_order_relaxed);
  return true;
}

void ThreadPool::Worker::bind() const {
  if (processor == no_processor) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  static_cast<void>(sched_setaffinity(0, sizeof(set), &set));  // works unbound, too
}

void ThreadPool::Worker::sleep() {
  std::unique_lock lock(mutex);
  sleeping.store(true);
  woken.wait(lock, [this] { return job.load() != nullptr || quit.load() || !sleeping.load(); });
  sleeping.store(false);
}

void ThreadPool::Worker::loop() {
  bind();
  Clock::time_point idle_since = Clock::now();
  while (true) {
    if (!spin_until([this] { return job.load() != nullptr || quit.load(); })) {
      if (missed.exchange(false)) continue;
      const bool is_in_run = engaged.load(std::memory_order_relaxed) && has_own_processor;
      if (is_in_run && Clock::now() - idle_since < spin_time_in_run) continue;
      sleep();
    }
    ParallelJob* work = job.exchange(nullptr);
    if (work == nullptr) {
      if (quit.load()) return;
      continue;  // withdrawn before it was started, or woken for a later job
    }
    was_of_use.store(true, std::memory_order_relaxed);
    number_in_job = number;
    work->work(number);
    work->active.fetch_sub(1);
    idle_since = Clock::now();
  }
}

}  // namespace ortool
