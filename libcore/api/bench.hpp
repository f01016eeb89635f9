// Benchmarking sessions in one call: latencies until their medians are known.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/api/compute_options.hpp"
#include "libcore/measure/bench/bench_result.hpp"
#include "libcore/measure/bench/bench_runner.hpp"

namespace ortool {

/// What bench() does beside the times it inherits: warm-up, how long, to which precision, and by
/// how many callers at once.
struct BenchOptions : BenchTiming {
  ComputeOptions compute = {};     ///< threads of a run, stop requests, messages; no providers
  std::string step = "measuring";  ///< what progress calls it
  /// Whether the times so far are enough; empty: once each median is known to `precision`.
  std::function<bool(const std::vector<RunnerTimes>& so_far)> are_known = {};
};

/// Runs `session` on `inputs` until it is warm, and then in blocks until the median is known.
/// Latencies are in milliseconds, `times.throughput_per_s()` in runs a second; `has_converged` says
/// whether the precision was reached in time. What disturbed the machine meanwhile is a warning.
/// Throws what a run throws, and the reason of a stop request.
BenchReport bench(const Session& session, const NamedValues& inputs,
                  const BenchOptions& options = {});

/// The same for several sessions on the same inputs, a block of each in turns, so that what
/// disturbs the machine disturbs all alike. Reports are in the order of the sessions.
std::vector<BenchReport> bench(std::span<const Session* const> sessions, const NamedValues& inputs,
                               const BenchOptions& options = {});

/// The same for runners that are ready.
std::vector<BenchReport> bench(const std::vector<BenchRunner*>& runners,
                               const BenchOptions& options);

}  // namespace ortool
