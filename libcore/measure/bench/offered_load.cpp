// Open-loop load: callers take the next arrival, wait for its time, run, and record the latency.
#include "libcore/measure/bench/offered_load.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <thread>

#include "libcore/measure/arrivals.hpp"
#include "libcore/measure/bench/joined_threads.hpp"

namespace ortool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double default_seconds = 5;
constexpr double search_seconds = 2;
constexpr std::size_t max_requests = 2'000'000;
constexpr std::size_t block_count = 20;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Sleeps until shortly before and then spins, since wake-up is about 50 us late.
void wait_until(Clock::time_point moment, const StopToken& stop) {
  for (;;) {
    const double left = seconds_between(Clock::now(), moment);
    if (left <= 0) return;
    stop.poll();
    if (left > 2e-4) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left - 1e-4, 0.05)));
    }
  }
}

/// One stream of requests: the latencies in order of arrival.
struct Served {
  std::vector<double> latency_ms;
  double wall_s = 0;
  double last_arrival_s = 0;
};

Served serve(BenchRunner& runner, const std::vector<double>& arrivals, int callers,
             const StopToken& stop) {
  const Session& session = *runner.session();
  RunOptions options = runner.run_options();
  Served served;
  served.latency_ms.resize(arrivals.size());
  served.last_arrival_s = arrivals.back();
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(callers));
  std::atomic<bool> has_failed{false};
  const Clock::time_point start = Clock::now() + std::chrono::milliseconds(2);
  const auto call = [&](std::size_t caller) {
    try {
      for (std::size_t i = next++; i < arrivals.size() && !has_failed; i = next++) {
        const auto moment = start + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(arrivals[i]));
        wait_until(moment, stop);
        session.run(*runner.inputs(), options);
        served.latency_ms[i] = 1e3 * seconds_between(moment, Clock::now());
      }
    } catch (...) {
      failures[caller] = std::current_exception();
      has_failed = true;
    }
  };
  JoinedThreads threads;
  try {
    for (int caller = 1; caller < callers; ++caller)
      threads.start([&call, caller] { call(static_cast<std::size_t>(caller)); });
  } catch (...) {
    has_failed = true;
    throw;
  }
  call(0);
  threads.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  served.wall_s = seconds_between(start, Clock::now());
  return served;
}

std::vector<double> arrivals_at(double rate_per_s, double seconds, bool is_poisson,
                                std::int64_t fixed_count) {
  const auto wanted = fixed_count > 0 ? static_cast<double>(fixed_count) : rate_per_s * seconds;
  const auto count = static_cast<std::size_t>(
      std::clamp(std::ceil(wanted), 1.0, static_cast<double>(max_requests)));
  return is_poisson ? poisson_arrivals(rate_per_s, count, 0) : constant_arrivals(rate_per_s, count);
}

OfferedTimes times_of(const Served& served, double rate_per_s, const BenchSettings& settings) {
  OfferedTimes offered;
  const std::size_t count = served.latency_ms.size();
  const std::size_t size = std::max<std::size_t>(1, (count + block_count - 1) / block_count);
  for (std::size_t begin = 0; begin < count; begin += size) {
    const std::size_t end = std::min(count, begin + size);
    offered.times.blocks.emplace_back(
        served.latency_ms.begin() + static_cast<std::ptrdiff_t>(begin),
        served.latency_ms.begin() + static_cast<std::ptrdiff_t>(end));
  }
  offered.times.wall_ms = 1e3 * served.wall_s;
  offered.load.rate_per_s = rate_per_s;
  offered.load.achieved_per_s = static_cast<double>(count) / served.wall_s;
  offered.load.distribution = settings.is_poisson ? "poisson" : "constant";
  // The backlog that remains after the last arrival.
  const double late_s = served.wall_s - served.last_arrival_s;
  offered.is_overrun = late_s > 0.05 * served.last_arrival_s &&
                       late_s > 20 * 1e-3 * median_of(offered.times.blocks.front());
  return offered;
}

OfferedTimes search_rate(BenchRunner& runner, const BenchSettings& settings, int callers,
                         double run_s, const StopToken& stop) {
  const LatencyBound bound = *settings.find_rate;
  // A percentile needs to be exceeded several times to be trusted.
  const double min_requests = std::max(200.0, 10 / (1 - std::max(bound.percent, 50.0) / 100));
  RateSearch search(0.5 * callers / run_s);
  OfferedTimes best;
  while (!search.is_done()) {
    const double seconds = std::max(settings.duration_s > 0 ? settings.duration_s : search_seconds,
                                    std::min(30.0, min_requests / search.next()));
    const Served served =
        serve(runner, arrivals_at(search.next(), seconds, settings.is_poisson, settings.iterations),
              callers, stop);
    OfferedTimes offered = times_of(served, search.next(), settings);
    std::vector<double> sorted = served.latency_ms;
    std::sort(sorted.begin(), sorted.end());
    const double found = estimate_percentile(sorted, bound.percent, 0.95).value;
    const bool has_passed = found <= bound.bound_ms && !offered.is_overrun;
    if (has_passed || search.best() == 0) best = std::move(offered);
    search.tell(has_passed);
    // A bound below the time of a single run cannot be met.
    if (search.best() == 0 && search.next() * bound.bound_ms < 1e-3) break;
  }
  best.load.bound = bound;
  best.load.keeps_bound = search.best() > 0;
  if (search.best() > 0) best.load.rate_per_s = search.best();
  return best;
}

}  // namespace

OfferedTimes offer_load(BenchRunner& runner, const BenchSettings& settings, int threads,
                        const StopToken& stop) {
  const int callers = settings.has_concurrency
                          ? settings.concurrency
                          : std::max(1, available_processors() / std::max(1, threads));
  const std::int64_t warmup_runs = std::max<std::int64_t>(settings.warmup, 3);
  runner.run(warmup_runs);
  const double run_s = std::max(1e-6, 1e-3 * median_of(runner.run(5).samples_ms));
  OfferedTimes offered;
  if (settings.find_rate) {
    offered = search_rate(runner, settings, callers, run_s, stop);
  } else {
    const double seconds = settings.duration_s > 0 ? settings.duration_s : default_seconds;
    const std::vector<double> arrivals =
        arrivals_at(settings.rate_per_s, seconds, settings.is_poisson, settings.iterations);
    offered = times_of(serve(runner, arrivals, callers, stop), settings.rate_per_s, settings);
  }
  offered.times.warmup_runs = warmup_runs;
  return offered;
}

}  // namespace ortool
