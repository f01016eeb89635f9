// Thread pool: each task runs once, errors reach the caller, stop requests are obeyed.
#include "libcore/base/parallel/thread_pool.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/parallel/thread_number.hpp"

using ortool::Error;
using ortool::ErrorCode;
using ortool::StopToken;
using ortool::ThreadPool;
using ortool::Workers;

TEST_CASE("Every task runs exactly once for any number of threads") {
  for (const int threads : {1, 2, 4, 8}) {
    ThreadPool pool(threads);
    Workers workers(pool, threads);
    for (const std::int64_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> counts(static_cast<std::size_t>(tasks));
      workers.parallel_for(tasks,
                           [&](std::int64_t task) { counts[static_cast<std::size_t>(task)]++; });
      for (const auto& count : counts) REQUIRE(count == 1);
    }
  }
}

TEST_CASE("Ranges cover everything and keep to the grain") {
  ThreadPool pool(3);
  Workers workers(pool, 3);
  std::vector<int> seen(1001, 0);
  std::atomic<int> off_grain{0};
  workers.parallel_ranges(1001, 100, [&](std::int64_t begin, std::int64_t end) {
    off_grain += begin % 100 == 0 ? 0 : 1;
    for (std::int64_t i = begin; i < end; ++i) seen[static_cast<std::size_t>(i)]++;
  });
  CHECK(seen == std::vector<int>(1001, 1));
  CHECK(off_grain == 0);
}

TEST_CASE("An exception in a task reaches the caller and the pool works on") {
  ThreadPool pool(4);
  Workers workers(pool, 4);
  CHECK_THROWS_AS(workers.parallel_for(100,
                                       [](std::int64_t task) {
                                         if (task == 57) throw std::runtime_error("task");
                                       }),
                  std::runtime_error);
  std::atomic<int> count{0};
  workers.parallel_for(100, [&](std::int64_t) { ++count; });
  CHECK(count == 100);
}

TEST_CASE("A stop request ends the remaining tasks with its reason") {
  ThreadPool pool(2);
  StopToken stop;
  Workers workers(pool, 2, &stop);
  std::atomic<int> count{0};
  try {
    workers.parallel_for(100000, [&](std::int64_t) {
      if (++count == 10) stop.request(ErrorCode::timeout);
    });
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::timeout);
  }
  CHECK(count < 100000);
}

TEST_CASE("Runs at the same time share the workers and none waits for another's") {
  ThreadPool pool(4);
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> sum{0};
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        Workers workers(pool, 4);
        workers.parallel_for(16, [&](std::int64_t task) { sum += task; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(sum == 6 * 200 * 120);
}

TEST_CASE("A task that spreads work again gets it done in place") {
  ThreadPool pool(2);
  Workers workers(pool, 2);
  std::atomic<int> count{0};
  workers.parallel_for(
      8, [&](std::int64_t) { workers.parallel_for(8, [&](std::int64_t) { ++count; }); });
  CHECK(count == 64);
}

TEST_CASE("Workers that slept wake up for the next job") {
  ThreadPool pool(2);
  Workers workers(pool, 2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> count{0};
    workers.parallel_for(64, [&](std::int64_t) { ++count; });
    CHECK(count == 64);
  }
}

TEST_CASE("A run leaves a processor for each other run that is under way") {
  ThreadPool pool(4);
  const Workers first(pool, 2);
  const Workers second(pool, 4);
  CHECK(first.count() == 2);
  CHECK(second.count() == 3);
  const Workers third(pool, 4);
  CHECK(third.count() == 1);
}

TEST_CASE("A job that is done alone because sharing it did not pay still runs every task once") {
  ThreadPool pool(2);
  const int step = 0;
  std::vector<int> counts(3, 0);
  for (int run = 0; run < 300; ++run) {
    Workers workers(pool, 2);
    workers.begin_step(&step);
    workers.parallel_for(3, [&](std::int64_t task) { ++counts[static_cast<std::size_t>(task)]; });
  }
  CHECK(counts == std::vector<int>{300, 300, 300});
}

TEST_CASE("Threads that work on one job have numbers of their own, below their count") {
  constexpr int threads = 4;
  ThreadPool pool(threads);
  Workers workers(pool, threads);
  std::vector<std::atomic<bool>> is_in_use(threads);
  std::atomic<int> wrong{0};
  for (int round = 0; round < 100; ++round) {
    workers.parallel_for(64, [&](std::int64_t) {
      const int number = ortool::thread_number();
      if (number < 0 || number >= threads) {
        ++wrong;
        return;
      }
      std::atomic<bool>& mine = is_in_use[static_cast<std::size_t>(number)];
      if (mine.exchange(true)) ++wrong;
      std::this_thread::yield();
      mine.store(false);
    });
  }
  CHECK(wrong == 0);
  CHECK(ortool::thread_number() == 0);
}

TEST_CASE("A run gives the processor of its worker to another run that began meanwhile") {
  ThreadPool pool(2);
  Workers first(pool, 2);
  const Workers second(pool, 2);
  REQUIRE(first.count() == 2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  for (int round = 0; round < 100; ++round) {
    first.parallel_for(64, [&](std::int64_t) {
      if (std::this_thread::get_id() != caller) ++elsewhere;
      std::this_thread::yield();
    });
  }
  CHECK(elsewhere == 0);
}
