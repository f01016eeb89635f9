// Benchmark results: percentiles and means of samples.
#include "libcore/measure/bench/bench_result.hpp"

#include <algorithm>
#include <cmath>

namespace ortool {
void summarize_times(VariantResult& result, const BenchSettings& settings) {
  const LaneTimes& times = result.times;
  result.sorted_ms = all_samples(times.blocks);
  std::sort(result.sorted_ms.begin(), result.sorted_ms.end());
  const double effect = design_effect(times.blocks);
  const auto estimate = [&](double percent) {
    return estimate_percentile(result.sorted_ms, percent, interval_confidence, effect);
  };
  result.median = estimate(50);
  result.percentiles.clear();
  for (const double percent : settings.percentiles) {
    result.percentiles.push_back({percent, estimate(percent)});
  }
  result.mean_ms = mean_of(result.sorted_ms);
  result.std_ms = std::sqrt(variance_of(result.sorted_ms));
  result.mean_interval = mean_interval(times.blocks, interval_confidence);
}

}  // namespace ortool
