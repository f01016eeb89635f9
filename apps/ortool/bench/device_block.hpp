// JSON of what runs take on a device: written for users, and by processes that bench starts.
#pragma once

#include <optional>

#include "libcore/json/json.hpp"
#include "libcore/measure/bench/bench_runner.hpp"

namespace ortool {

/// {copy_in_ms, compute_ms, copy_out_ms, memory_bytes, clocks}; clocks are left out where they are
/// not known, and a clock, a temperature or reasons that are not known are null.
Json device_block(const DeviceTimes& times);

/// What such a block says; nothing for an empty one.
std::optional<DeviceTimes> device_times_of(const Json& block);

}  // namespace ortool
