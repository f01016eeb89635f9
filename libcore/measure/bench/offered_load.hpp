// Open-loop load: requests arriving at a fixed rate, and the highest rate within a latency bound.
#pragma once

#include "libcore/measure/bench/bench_result.hpp"

namespace ortool {

struct OfferedTimes {
  RunnerTimes times;
  OfferedLoad load;
  /// Requests piled up: the rate exceeded the throughput.
  bool is_overrun = false;
};

/// Offers requests at --rate, or searches the rate for --find-rate, to --concurrency callers;
/// latencies start at a request's arrival and include queueing, so that slow responses cannot hide
/// those of later requests (coordinated omission). Without --concurrency there are as many callers
/// as fit the processors with `threads` each.
OfferedTimes offer_load(BenchRunner& runner, const BenchSettings& settings, int threads,
                        const StopToken& stop);

}  // namespace ortool
