// Benchmark results: percentiles and means of samples.
#include "libcore/measure/bench/bench_result.hpp"

#include <algorithm>
#include <cmath>

namespace ortool {

void summarize_times(BenchReport& report, const BenchTiming& timing) {
  const RunnerTimes& times = report.times;
  report.sorted_ms = all_samples(times.blocks);
  std::sort(report.sorted_ms.begin(), report.sorted_ms.end());
  const double effect = design_effect(times.blocks);
  const auto estimate = [&](double percent) {
    return estimate_percentile(report.sorted_ms, percent, interval_confidence, effect);
  };
  report.median = estimate(50);
  report.percentiles.clear();
  for (const double percent : timing.percentiles) {
    report.percentiles.push_back({percent, estimate(percent)});
  }
  report.mean_ms = mean_of(report.sorted_ms);
  report.std_ms = std::sqrt(variance_of(report.sorted_ms));
  report.mean_interval = mean_interval(times.blocks, interval_confidence);
}

}  // namespace ortool
