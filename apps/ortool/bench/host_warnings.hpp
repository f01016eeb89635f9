// What disturbs a measurement: too many threads, numbers that processors are slow with.
#pragma once

#include "apps/ortool/bench/bench_settings.hpp"

namespace ortool {

/// Warns when callers and threads are more than the processors this process may use.
void warn_of_threads(const Invocation& invocation, const BenchSettings& settings);

/// Warns of models whose float weights hold many denormal numbers, which many processors compute
/// with many times slower.
void warn_of_denormals(const Invocation& invocation, const BenchSettings& settings);

}  // namespace ortool
