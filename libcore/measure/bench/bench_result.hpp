// Benchmark results: what was measured of each variant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/measure/bench/bench_settings.hpp"
#include "libcore/measure/bench/bench_variant.hpp"
#include "libcore/measure/bench/measure_runners.hpp"

namespace ortool {

/// Of the reported intervals, which also terminate a measurement.
inline constexpr double interval_confidence = 0.95;

/// A requested percentile.
struct PercentileRow {
  double percent = 0;
  PercentileEstimate estimate;
};

/// The memory of a process that only loads and runs a model.
struct ProcessMemory {
  std::int64_t base_rss_bytes = -1;  ///< before the model is loaded
  std::int64_t peak_rss_bytes = -1;
};

/// The load offered to a variant that does not run requests back to back.
struct OfferedLoad {
  double rate_per_s = 0;      ///< of arrivals
  double achieved_per_s = 0;  ///< of responses
  std::string distribution;
  /// With --find-rate: whether any rate met the bound, and the bound.
  std::optional<LatencyBound> bound;
  bool keeps_bound = true;
};

/// What was measured of one lane.
struct BenchReport {
  RunnerFacts facts;
  RunnerTimes times;
  bool has_converged = false;         ///< the median is known as well as was asked for
  std::optional<DeviceTimes> device;  ///< nothing: no device computes, or it does not tell

  // Derived from `times` by summarize_times().
  std::vector<double> sorted_ms;
  PercentileEstimate median;
  std::vector<PercentileRow> percentiles;
  double mean_ms = 0;
  double std_ms = 0;
  Interval mean_interval;
};

struct VariantResult : BenchReport {
  BenchVariant variant;
  std::string skipped_because;  ///< empty: it was measured
  ProcessMemory memory;
  std::optional<OfferedLoad> load;

  bool was_measured() const { return skipped_because.empty(); }
};

/// Fills in everything derived from the samples.
void summarize_times(BenchReport& report, const BenchTiming& timing);

}  // namespace ortool
