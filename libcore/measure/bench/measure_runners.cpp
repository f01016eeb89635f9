// Lane measurement: warm-up, block sizes and rounds.
#include "libcore/measure/bench/measure_runners.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/random_bits.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/measure/bench/bench_result.hpp"
#include "libcore/measure/steady_state.hpp"

namespace ortool {
namespace {

constexpr double runner_block_ms = 20;
constexpr double lead_in_ms = 2;
constexpr double max_warmup_ms = 3000;
constexpr std::size_t min_runner_rounds = 8;

/// A lane being measured, with the size of its blocks.
struct RunnerProgress {
  BenchRunner* runner;
  RunnerTimes times;
  std::int64_t lead_in_runs = 0;
  std::int64_t block_runs = 1;
};

/// The number of runs that fit, at least one.
std::int64_t runs_in(double milliseconds, double run_ms) {
  return std::max<std::int64_t>(1, std::llround(milliseconds / std::max(run_ms, 1e-4)));
}

/// Runs until the medians of parts of the series stop changing.
double warm_up(RunnerProgress& progress, std::int64_t wanted_runs, const StopToken& stop) {
  RunnerTimes& times = progress.times;
  if (wanted_runs >= 0) {
    const RunnerBlock block = progress.runner->run(std::max<std::int64_t>(1, wanted_runs));
    times.warmup_runs = wanted_runs;
    return median_of(block.samples_ms);
  }
  std::vector<double> medians;
  const Stopwatch watch;
  std::int64_t runs = 1;
  for (;;) {
    const RunnerBlock block = progress.runner->run(runs);
    stop.poll();
    times.warmup_runs += static_cast<std::int64_t>(block.samples_ms.size());
    medians.push_back(median_of(block.samples_ms));
    runs = runs_in(lead_in_ms, medians.back());
    times.is_steady = find_steady_state(medians).is_steady;
    const bool has_enough = medians.size() >= (medians.back() < lead_in_ms ? 24U : 8U);
    if (times.is_steady && has_enough) break;
    if (watch.milliseconds() > max_warmup_ms && medians.size() >= 4) break;
  }
  // Slow models give few samples: too few to call them unsteady.
  if (medians.size() < 8) times.is_steady = true;
  return median_of(
      {medians.end() - static_cast<std::ptrdiff_t>((medians.size() + 1) / 2), medians.end()});
}

void take_block(RunnerProgress& progress, const Stopwatch& watch, std::int64_t max_runs) {
  if (progress.lead_in_runs > 0) progress.runner->run(progress.lead_in_runs);
  progress.times.started_s.push_back(watch.milliseconds() / 1e3);
  RunnerBlock block = progress.runner->run(std::min(progress.block_runs, max_runs));
  progress.times.wall_ms += block.wall_ms;
  progress.times.blocks.push_back(std::move(block.samples_ms));
}

/// Whether a fixed duration was requested and every lane has reached it.
bool has_length(const std::vector<RunnerProgress>& all_progress, const BenchTiming& settings) {
  return std::all_of(all_progress.begin(), all_progress.end(), [&](const RunnerProgress& progress) {
    return (settings.iterations > 0 || settings.duration_s > 0) &&
           count_samples(progress.times.blocks) >= settings.iterations &&
           progress.times.wall_ms >= settings.duration_s * 1e3;
  });
}

std::vector<RunnerTimes> times_of(const std::vector<RunnerProgress>& all_progress) {
  std::vector<RunnerTimes> times;
  for (const RunnerProgress& progress : all_progress) times.push_back(progress.times);
  return times;
}

std::int64_t samples_of(const std::vector<RunnerProgress>& all_progress) {
  std::int64_t count = 0;
  for (const RunnerProgress& progress : all_progress) count += count_samples(progress.times.blocks);
  return count;
}

}  // namespace

double RunnerTimes::throughput_per_s() const {
  return wall_ms > 0 ? static_cast<double>(count_samples(blocks)) / wall_ms * 1e3 : 0;
}

PercentileEstimate percentile_of(const RunnerTimes& times, double percent) {
  std::vector<double> sorted = all_samples(times.blocks);
  std::sort(sorted.begin(), sorted.end());
  return estimate_percentile(sorted, percent, interval_confidence, design_effect(times.blocks));
}

double median_precision(const RunnerTimes& times) {
  const PercentileEstimate median = percentile_of(times, 50);
  if (!median.has_enough || median.value <= 0) return std::numeric_limits<double>::infinity();
  return (median.interval.high - median.interval.low) / 2 / median.value;
}

std::vector<RunnerTimes> measure_runners(
    const std::vector<BenchRunner*>& runners, const BenchTiming& settings, const StopToken& stop,
    const std::function<bool(const std::vector<RunnerTimes>&)>& is_enough,
    const std::function<void(std::int64_t done, std::int64_t total)>& on_round) {
  std::vector<RunnerProgress> all_progress;
  for (BenchRunner* runner : runners) {
    RunnerProgress& progress = all_progress.emplace_back(RunnerProgress{runner, {}});
    const double run_ms = warm_up(progress, settings.warmup, stop);
    const double caller_run_ms = run_ms / settings.concurrency;
    if (run_ms < runner_block_ms) progress.lead_in_runs = runs_in(lead_in_ms, caller_run_ms);
    progress.block_runs =
        std::max<std::int64_t>(settings.concurrency, runs_in(runner_block_ms, caller_run_ms));
    if (settings.iterations > 0) {
      progress.block_runs =
          std::min(progress.block_runs, std::max<std::int64_t>(1, settings.iterations / 10));
    }
  }

  const bool is_fixed = settings.iterations > 0 || settings.duration_s > 0;
  const auto lanes = static_cast<double>(runners.size());
  const double max_ms =
      1e3 * lanes * (settings.duration_s > 0 ? settings.duration_s : settings.seconds_a_runner);
  std::vector<std::size_t> order(all_progress.size());
  std::iota(order.begin(), order.end(), 0);
  RandomBits random(0);
  const Stopwatch watch;
  for (std::size_t round = 0, next_look = min_runner_rounds;; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (const std::size_t place : order) {
      RunnerProgress& progress = all_progress[place];
      const std::int64_t left = settings.iterations > 0
                                    ? settings.iterations - count_samples(progress.times.blocks)
                                    : progress.block_runs;
      if (settings.iterations > 0 && left <= 0 && settings.duration_s <= 0) continue;
      take_block(progress, watch, std::max<std::int64_t>(1, left));
      stop.poll();
    }
    if (settings.iterations > 0) {
      on_round(samples_of(all_progress), settings.iterations * static_cast<std::int64_t>(lanes));
    } else {
      on_round(std::llround(watch.milliseconds() / 1e3), std::llround(max_ms / 1e3));
    }
    if (is_fixed && has_length(all_progress, settings)) break;
    if (round + 1 < next_look) continue;
    next_look = round + 2 + round / 8;
    if (settings.has_target && is_enough(times_of(all_progress))) break;
    if (!is_fixed && watch.milliseconds() > max_ms) break;
  }
  return times_of(all_progress);
}

}  // namespace ortool
