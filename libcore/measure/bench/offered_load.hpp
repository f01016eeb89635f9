// Requests that arrive by themselves, and the highest rate that keeps a latency bound.
#pragma once

#include "libcore/measure/bench/bench_result.hpp"

namespace ortool {

struct OfferedTimes {
  LaneTimes times;
  OfferedLoad load;
  /// Requests piled up: the rate was more than was answered.
  bool is_overrun = false;
};

/// Offers requests at --rate, or searches the rate for --find-rate, to --concurrency callers; times
/// count from a request's arrival, waiting included, so that slow answers cannot hide the requests
/// behind them. Without --concurrency there are as many callers as
/// processors allow for `threads` each.
OfferedTimes offer_load(Lane& lane, const BenchSettings& settings, int threads,
                        const StopToken& stop);

}  // namespace ortool
