// Benchmark gate: compares ratios of block medians with thresholds.
#include "libcore/measure/bench/gate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/setting_name.hpp"

namespace ortool {
namespace {

constexpr double gate_confidence = 0.99;
constexpr std::uint64_t resampling_seed = 0;
constexpr std::size_t min_gate_rounds = 20;

double share_width(const RatioEstimate& estimate) {
  return (estimate.interval.high - estimate.interval.low) / 2 / estimate.ratio;
}

/// A list of providers is gated by its first name.
double threshold_of(const BenchVariant& variant, const BenchSettings& settings) {
  return settings.threshold_of(variant.provider.substr(0, variant.provider.find(',')));
}

RatioEstimate compare_with_baseline(const RunnerTimes& times, const std::vector<double>& before) {
  const std::vector<double> now = block_medians(times.blocks);
  RatioEstimate estimate = compare_apart(now, before, gate_confidence, resampling_seed);
  estimate.noise_floor =
      std::hypot(noise_floor(now, resampling_seed), noise_floor(before, resampling_seed));
  return estimate;
}

RegressionVerdict judge_runners(const RatioEstimate& estimate, const RunnerTimes& a,
                                const RunnerTimes& b, double threshold) {
  return judge_paired(estimate, block_medians(a.blocks), block_medians(b.blocks), threshold);
}

bool is_known_ratio(const RatioEstimate& estimate, RegressionVerdict verdict, double threshold,
                    double precision) {
  return verdict != RegressionVerdict::inconclusive &&
         share_width(estimate) <= std::max(precision, threshold / 4);
}

GateEntry ratio_entry(const VariantResult& result, std::string against, double baseline_ms,
                      const RatioEstimate& estimate, double threshold, RegressionVerdict verdict) {
  return {result.variant.name, "p50",          std::move(against),
          baseline_ms,         estimate.ratio, estimate.interval,
          threshold,           verdict};
}

GateEntry latency_entry(const VariantResult& result, const LatencyBound& bound) {
  const PercentileEstimate found = percentile_of(result.times, bound.percent);
  GateEntry entry{result.variant.name,
                  percentile_key(bound.percent),
                  setting_name("max-latency"),
                  bound.bound_ms,
                  0,
                  {},
                  0,
                  RegressionVerdict::inconclusive};
  if (!found.has_enough) return entry;
  entry.ratio = found.value / bound.bound_ms;
  entry.interval = {found.interval.low / bound.bound_ms, found.interval.high / bound.bound_ms};
  entry.verdict = judge_bound(found.interval, bound.bound_ms);
  return entry;
}

GateEntry memory_entry(const VariantResult& result, std::int64_t max_bytes) {
  const auto most = static_cast<double>(max_bytes);
  GateEntry entry{result.variant.name,
                  "peak_rss",
                  setting_name("max-rss"),
                  most,
                  0,
                  {},
                  0,
                  RegressionVerdict::inconclusive};
  if (result.memory.peak_rss_bytes <= 0) return entry;
  entry.ratio = static_cast<double>(result.memory.peak_rss_bytes) / most;
  entry.interval = {entry.ratio, entry.ratio};
  entry.verdict = judge_bound(entry.interval, 1);
  return entry;
}

}  // namespace

std::optional<std::size_t> reference_of(const std::vector<BenchVariant>& variants,
                                        std::size_t place) {
  if (variants[place].is_reference) return std::nullopt;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (variants[i].is_reference && variants[i].setting() == variants[place].setting()) return i;
  }
  return std::nullopt;
}

RatioEstimate compare_runners(const RunnerTimes& a, const RunnerTimes& b) {
  std::vector<double> times_a = block_medians(a.blocks);
  std::vector<double> times_b = block_medians(b.blocks);
  const std::size_t rounds = std::min(times_a.size(), times_b.size());
  times_a.resize(rounds);
  times_b.resize(rounds);
  RatioEstimate estimate = compare_paired(times_a, times_b, gate_confidence, resampling_seed);
  // Drift between rounds affects both sides, so only the difference within a round is noise of the
  // ratio.
  std::vector<double> ratios(rounds);
  for (std::size_t i = 0; i < rounds; ++i) ratios[i] = times_a[i] / times_b[i];
  estimate.noise_floor = noise_floor(ratios, resampling_seed) / std::sqrt(2.0);
  return estimate;
}

std::vector<VariantComparison> compare_all(const std::vector<VariantResult>& results) {
  std::vector<BenchVariant> variants;
  for (const VariantResult& result : results) variants.push_back(result.variant);
  const bool has_references = std::any_of(variants.begin(), variants.end(),
                                          [](const auto& variant) { return variant.is_reference; });
  std::vector<VariantComparison> comparisons;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t none = results.size();
    std::size_t other = i > 0 ? 0 : none;
    if (has_references) other = reference_of(variants, i).value_or(none);
    if (other == none || !results[i].was_measured() || !results[other].was_measured()) continue;
    comparisons.push_back({variants[i].name, variants[other].name,
                           compare_runners(results[i].times, results[other].times)});
  }
  return comparisons;
}

bool are_known(const std::vector<BenchVariant>& variants, const std::vector<RunnerTimes>& times,
               const BenchSettings& settings, const Baseline& baseline) {
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const double threshold = threshold_of(variants[i], settings);
    bool has_gate = variants[i].is_reference;
    if (const auto other = reference_of(variants, i)) {
      has_gate = true;
      if (times[i].blocks.size() < min_gate_rounds) return false;
      const RatioEstimate estimate = compare_runners(times[i], times[*other]);
      const RegressionVerdict verdict = judge_runners(estimate, times[i], times[*other], threshold);
      if (!is_known_ratio(estimate, verdict, threshold, settings.precision)) return false;
    }
    const BaselineEntry* before = variants[i].is_reference ? nullptr : baseline.find(variants[i]);
    if (before != nullptr && !before->block_medians_ms.empty()) {
      has_gate = true;
      if (times[i].blocks.size() < min_gate_rounds) return false;
      const RatioEstimate estimate = compare_with_baseline(times[i], before->block_medians_ms);
      // The width of the baseline's interval does not shrink with further measurement.
      if (judge_ratio(estimate, threshold) == RegressionVerdict::inconclusive) return false;
    }
    if (settings.max_latency && !variants[i].is_reference) {
      has_gate = true;
      const PercentileEstimate found = percentile_of(times[i], settings.max_latency->percent);
      if (!found.has_enough || judge_bound(found.interval, settings.max_latency->bound_ms) ==
                                   RegressionVerdict::inconclusive) {
        return false;
      }
    }
    if (!has_gate && median_precision(times[i]) > settings.precision) return false;
  }
  return true;
}

std::vector<GateEntry> judge(const std::vector<VariantResult>& results,
                             const BenchSettings& settings, const Baseline& baseline) {
  std::vector<BenchVariant> variants;
  for (const VariantResult& result : results) variants.push_back(result.variant);
  std::vector<GateEntry> entries;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VariantResult& result = results[i];
    if (!result.was_measured() || result.variant.is_reference) continue;
    const double threshold = threshold_of(result.variant, settings);
    const auto other = reference_of(variants, i);
    if (other && results[*other].was_measured()) {
      const VariantResult& reference = results[*other];
      const RatioEstimate estimate = compare_runners(result.times, reference.times);
      entries.push_back(
          ratio_entry(result, reference.variant.name, reference.median.value, estimate, threshold,
                      judge_runners(estimate, result.times, reference.times, threshold)));
    }
    if (!settings.baseline.empty()) {
      const BaselineEntry* before = baseline.find(result.variant);
      if (before != nullptr && !before->block_medians_ms.empty()) {
        const RatioEstimate estimate =
            compare_with_baseline(result.times, before->block_medians_ms);
        entries.push_back(ratio_entry(result, settings.baseline, before->p50_ms, estimate,
                                      threshold, judge_ratio(estimate, threshold)));
      } else {
        entries.push_back({result.variant.name,
                           "p50",
                           settings.baseline,
                           std::nullopt,
                           0,
                           {},
                           threshold,
                           baseline.verdict_without_entry()});
      }
    }
    if (settings.max_latency) entries.push_back(latency_entry(result, *settings.max_latency));
    if (settings.max_rss_bytes > 0) entries.push_back(memory_entry(result, settings.max_rss_bytes));
  }
  return entries;
}

}  // namespace ortool
