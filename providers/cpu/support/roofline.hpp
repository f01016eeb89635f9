// What this machine's processors and memory can give, measured on the spot.
#pragma once

#include "libcore/base/stop_token.hpp"
#include "libcore/measure/roofline.hpp"

namespace ortool::cpu {

/// Keeps `threads` threads busy for about half a second: with multiply-adds in registers, with
/// blocks that fit the caches next to a core, and with blocks of 96 MB a thread. The best of
/// several short rounds each. Polls `stop`.
MachineLimits measure_limits(int threads, const StopToken& stop);

}  // namespace ortool::cpu
