// Settings of a benchmark: models, providers, threads, shapes, how long, and what is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ortool {

/// Of one lane, however they are asked for.
inline constexpr std::int64_t most_bench_runs = 10'000'000;

/// "p99=20ms": a percentile that must not take longer.
struct LatencyBound {
  double percent = 0;
  double bound_ms = 0;
};

/// The numbers given to dimensions, as given: {"batch", "8"}.
using DimensionNumbers = std::vector<std::pair<std::string, std::string>>;

struct BenchSettings {
  std::vector<std::string> models;
  std::vector<std::string> references;  ///< none or one
  std::vector<std::string> providers;   ///< one entry a variant; {"auto"} when none is named
  std::vector<int> threads;
  std::vector<DimensionNumbers> dims;  ///< every combination; one empty entry when none is given
  std::int64_t warmup = -1;            ///< -1: until steady
  std::int64_t iterations = 0;         ///< 0: not fixed
  double duration_s = 0;               ///< 0: not fixed
  double precision = 0.01;             ///< half of the median's interval, as a share of it
  /// The precision decides when to stop and whether there is a conclusion.
  bool has_target = true;
  std::vector<double> percentiles;
  int concurrency = 1;
  bool has_concurrency = false;
  double rate_per_s = 0;  ///< 0: one run after the other
  bool is_poisson = true;
  std::optional<LatencyBound> find_rate;
  std::optional<LatencyBound> max_latency;
  std::int64_t max_rss_bytes = 0;  ///< 0: no bound
  std::string baseline;
  /// By provider; under "" what holds for all others.
  std::map<std::string, double, std::less<>> max_regression = {{"", 0.05}};
  bool names_providers = false;
  double seconds_a_lane = 10;  ///< after which measuring ends though the target is not reached

  bool has_several_dims() const { return dims.size() > 1; }
  double threshold_of(const std::string& provider) const;
};

/// "p50", "p99_9".
std::string percentile_key(double percent);

}  // namespace ortool
