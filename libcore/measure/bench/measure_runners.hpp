// Interleaved measurement of lanes: warm-up until steady, then blocks until medians are precise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/stop_token.hpp"
#include "libcore/measure/bench/bench_runner.hpp"
#include "libcore/measure/bench/bench_settings.hpp"
#include "libcore/measure/percentile.hpp"
#include "libcore/measure/sample_blocks.hpp"

namespace ortool {

/// The measurements of one lane. Blocks of equal index were measured in the same round.
struct RunnerTimes {
  std::int64_t warmup_runs = 0;
  bool is_steady = true;
  SampleBlocks blocks;            ///< milliseconds
  std::vector<double> started_s;  ///< of each block, since the measurement began
  double wall_ms = 0;             ///< of all blocks

  double throughput_per_s() const;
};

/// A percentile of a lane's samples, taking the design effect of blocks into account.
PercentileEstimate percentile_of(const RunnerTimes& times, double percent);
/// Half width of the median's interval, relative to it; infinity with too few samples.
double median_precision(const RunnerTimes& times);

/// Runs a warm-up of every lane and then, in rounds of randomly seeded order, a block of each:
/// about 20 ms and at least one run, after a short untimed run that warms the caches. Rounds
/// continue until `is_enough` returns true or the time is up, depending on the settings.
/// `is_enough` is called now and then. `on_round` is called after each round with how much is done
/// of how much at most: runs of all lanes where their number is set, otherwise seconds. Polls
/// `stop`.
std::vector<RunnerTimes> measure_runners(
    const std::vector<BenchRunner*>& runners, const BenchTiming& settings, const StopToken& stop,
    const std::function<bool(const std::vector<RunnerTimes>&)>& is_enough,
    const std::function<void(std::int64_t done, std::int64_t total)>& on_round);

}  // namespace ortool
