// Benchmark gate: comparisons between variants, and verdicts on regressions and bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/measure/bench/baseline.hpp"
#include "libcore/measure/bench/bench_result.hpp"
#include "libcore/measure/compare_times.hpp"

namespace ortool {

/// The time of `a` relative to that of `b`.
struct VariantComparison {
  std::string a;
  std::string b;
  RatioEstimate estimate;
};

struct GateEntry {
  std::string variant;
  std::string metric;  ///< "p50", "p95", "peak_rss"
  std::string against;
  std::optional<double> baseline;  ///< milliseconds, or bytes for peak_rss
  double ratio = 0;                ///< 0: unknown
  Interval interval;
  double threshold = 0;
  RegressionVerdict verdict = RegressionVerdict::inconclusive;
};

/// The index of the reference that a variant is compared with, or nothing.
std::optional<std::size_t> reference_of(const std::vector<BenchVariant>& variants,
                                        std::size_t place);

/// The ratio of block medians measured in the same rounds, with 99 % confidence and the noise
/// floors of both.
RatioEstimate compare_runners(const RunnerTimes& a, const RunnerTimes& b);

/// Each variant with its reference; without one, with the first variant.
std::vector<VariantComparison> compare_all(const std::vector<VariantResult>& results);

/// Whether the lanes have been measured well enough: gated ones by their verdict, all others by the
/// precision of their median.
bool are_known(const std::vector<BenchVariant>& variants, const std::vector<RunnerTimes>& times,
               const BenchSettings& settings, const Baseline& baseline);

/// Verdicts for references, baseline, --max-latency and --max-rss, in the order of the variants.
std::vector<GateEntry> judge(const std::vector<VariantResult>& results,
                             const BenchSettings& settings, const Baseline& baseline);

}  // namespace ortool
