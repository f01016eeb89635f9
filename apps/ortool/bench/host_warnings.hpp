// What disturbs a measurement: too many threads, numbers that processors are slow with.
#pragma once

#include "apps/ortool/bench/bench_settings.hpp"

namespace ortool {

/// Warns when callers and threads are more than the processors this process may use.
void warn_of_threads(const Invocation& invocation, const BenchSettings& settings);

/// Warns of models with many denormal float weights, with which many processors compute much
/// slower.
void warn_of_denormals(const Invocation& invocation, const BenchSettings& settings);

}  // namespace ortool
