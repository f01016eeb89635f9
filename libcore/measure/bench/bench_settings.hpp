// Benchmark settings: models, providers, threads, shapes, duration, and thresholds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ortool {

/// Per lane, however they are requested.
inline constexpr std::int64_t max_bench_runs = 10'000'000;

/// "p99=20ms": an upper bound on a percentile.
struct LatencyBound {
  double percent = 0;
  double bound_ms = 0;
};

/// The sizes given for dimensions, as text: {"batch", "8"}.
using DimensionSizes = std::vector<std::pair<std::string, std::string>>;

/// How long variants are measured, and what is reported of their times.
struct BenchTiming {
  std::int64_t warmup = -1;     ///< -1: until steady
  std::int64_t iterations = 0;  ///< 0: not fixed
  double duration_s = 0;        ///< 0: not fixed
  double precision = 0.01;      ///< half width of the median's interval, relative to it
  /// The precision determines when to stop, and whether the result is conclusive.
  bool has_target = true;
  double seconds_a_runner = 10;  ///< time limit, even if the target is not reached
  std::vector<double> percentiles = {50, 90, 95, 99};
  int concurrency = 1;  ///< concurrent callers
};

struct BenchSettings : BenchTiming {
  std::vector<std::string> models;
  std::vector<std::string> references;  ///< none or one
  std::vector<std::string> providers;   ///< one entry per variant; {"auto"} when none is named
  std::vector<int> threads;
  std::vector<DimensionSizes> dims;  ///< every combination; one empty entry when none is given
  bool has_concurrency = false;
  double rate_per_s = 0;  ///< 0: requests back to back
  bool is_poisson = true;
  std::optional<LatencyBound> find_rate;
  std::optional<LatencyBound> max_latency;
  std::int64_t max_rss_bytes = 0;  ///< 0: no bound
  std::string baseline;
  /// By provider; "" applies to all others.
  std::map<std::string, double, std::less<>> max_regression = {{"", 0.05}};
  bool names_providers = false;

  bool has_several_dims() const { return dims.size() > 1; }
  double threshold_of(const std::string& provider) const;
};

/// "p50", "p99_9".
std::string percentile_key(double percent);

}  // namespace ortool
