// Benchmark results: what was measured of each variant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/measure/bench/bench_settings.hpp"
#include "libcore/measure/bench/bench_variant.hpp"
#include "libcore/measure/bench/lane_meter.hpp"

namespace ortool {

/// Of the intervals that are reported, and that end a measurement.
inline constexpr double interval_confidence = 0.95;

/// A percentile that was asked for.
struct PercentileRow {
  double percent = 0;
  PercentileEstimate estimate;
};

/// Memory of a process that loads a model and runs it, and nothing else.
struct ProcessMemory {
  std::int64_t base_rss_bytes = -1;  ///< before the model is loaded
  std::int64_t peak_rss_bytes = -1;
};

/// What was offered to a variant that did not run one request after the other.
struct OfferedLoad {
  double rate_per_s = 0;      ///< of arrivals
  double achieved_per_s = 0;  ///< of answers
  std::string distribution;
  /// With --find-rate: whether any rate kept the bound, and the bound.
  std::optional<LatencyBound> bound;
  bool keeps_bound = true;
};

struct VariantResult {
  BenchVariant variant;
  std::string skipped_because;  ///< empty: it was measured
  LaneFacts facts;
  LaneTimes times;
  bool is_settled = false;
  ProcessMemory memory;
  std::optional<OfferedLoad> load;

  // From `times`, by summarize_times().
  std::vector<double> sorted_ms;
  PercentileEstimate median;
  std::vector<PercentileRow> percentiles;
  double mean_ms = 0;
  double std_ms = 0;
  Interval mean_interval;

  bool was_measured() const { return skipped_because.empty(); }
};

/// Fills in what follows from the samples.
void summarize_times(VariantResult& result, const BenchSettings& settings);

}  // namespace ortool
