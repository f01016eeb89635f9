// Roofline measurement: peak arithmetic throughput and memory bandwidth of this machine.
#pragma once

#include "libcore/base/stop_token.hpp"
#include "libcore/measure/roofline.hpp"

namespace ortool::cpu {

/// Keeps `threads` threads busy for about half a second: with multiply-adds in registers, with
/// blocks that fit the per-core caches, and with blocks of 96 MB per thread. Reports the best of
/// several short rounds of each. Polls `stop`.
MachineLimits measure_limits(int threads, const StopToken& stop);

}  // namespace ortool::cpu
