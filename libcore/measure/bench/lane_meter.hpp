// Measuring lanes in turns: warm-up until steady, then blocks until the medians are known.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/stop_token.hpp"
#include "libcore/measure/bench/bench_settings.hpp"
#include "libcore/measure/bench/lane.hpp"
#include "libcore/measure/percentile.hpp"
#include "libcore/measure/sample_blocks.hpp"

namespace ortool {

/// What was measured of one lane. Block i of all lanes was taken in the same round.
struct LaneTimes {
  std::int64_t warmup_runs = 0;
  bool is_steady = true;
  SampleBlocks blocks;            ///< milliseconds
  std::vector<double> started_s;  ///< of each block, since the measurement began
  double wall_ms = 0;             ///< of all blocks

  double throughput_per_s() const;
};

/// Of the samples of a lane, with the effect of blocks taken into account.
PercentileEstimate percentile_of(const LaneTimes& times, double percent);
/// Half of the median's interval as a share of it; infinity with too few samples.
double median_precision(const LaneTimes& times);

/// Runs every lane for a warm-up and then, round by round in an order shuffled by a seed, a block
/// of each: some 20 ms, at least one run, after a short untimed run that brings the caches back.
/// Rounds go on until `is_enough` says so or the time is up: as the settings say.
/// `is_enough` is asked now and then. Polls `stop`.
std::vector<LaneTimes> measure_lanes(
    const std::vector<Lane*>& lanes, const BenchSettings& settings, const StopToken& stop,
    const std::function<bool(const std::vector<LaneTimes>&)>& is_enough);

}  // namespace ortool
