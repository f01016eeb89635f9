// JSON of benchmark results. Percentiles with too few samples are null, with the number needed.
#include "apps/ortool/bench/bench_blocks.hpp"

#include <cmath>

#include "apps/ortool/bench/device_block.hpp"

namespace ortool {
namespace {

Json bytes_or_null(std::int64_t bytes) {
  return bytes > 0 ? Json(bytes) : Json();
}

Json latency_block(const VariantResult& result) {
  Json block = Json::object();
  block.set("mean", result.mean_ms)
      .set("mean_ci", interval_block(result.mean_interval))
      .set("std", result.std_ms)
      .set("min", result.sorted_ms.front())
      .set("max", result.sorted_ms.back());
  Json needed = Json::object();
  const auto add = [&](double percent, const PercentileEstimate& estimate) {
    const std::string key = percentile_key(percent);
    block.set(key, estimate.has_enough ? Json(estimate.value) : Json());
    block.set(key + "_ci", estimate.has_enough ? interval_block(estimate.interval) : Json());
    if (!estimate.has_enough) needed.set(key, estimate.needed);
  };
  bool has_median = false;
  for (const PercentileRow& row : result.percentiles) {
    add(row.percent, row.estimate);
    has_median = has_median || row.percent == 50;
  }
  if (!has_median) add(50, result.median);
  block.set("count", result.sorted_ms.size()).set("needed_count", std::move(needed));
  return block;
}

Json load_block(const OfferedLoad& load) {
  Json block = Json::object()
                   .set("rate_per_s", load.rate_per_s)
                   .set("achieved_per_s", load.achieved_per_s)
                   .set("distribution", load.distribution);
  if (load.bound) {
    block.set("bound", Json::object()
                           .set("percentile", percentile_key(load.bound->percent))
                           .set("bound_ms", load.bound->bound_ms)
                           .set("met", load.keeps_bound));
  }
  return block;
}

}  // namespace

Json interval_block(const Interval& interval) {
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return Json();
  return Json::list().add(interval.low).add(interval.high);
}

Json result_block(const VariantResult& result, bool has_raw) {
  const BenchVariant& variant = result.variant;
  Json dims = Json::object();
  for (const auto& [name, number] : variant.dims) {
    dims.set(name, static_cast<std::int64_t>(std::stoll(number)));
  }
  Json block = Json::object();
  block.set("variant", variant.name)
      .set("model", variant.model)
      .set("status", result.was_measured() ? "ok" : "unavailable")
      .set("reason", result.was_measured() ? Json() : Json(result.skipped_because))
      .set("provider", variant.provider)
      .set("providers", Json::list_of(result.facts.providers))
      .set("fallback_nodes", result.facts.fallback_nodes)
      .set("threads", variant.threads)
      .set("dims", std::move(dims))
      .set("is_reference", variant.is_reference);
  if (!result.was_measured()) return block;
  block.set("latency_ms", latency_block(result))
      .set("throughput_per_s", result.times.throughput_per_s())
      .set("load_ms", result.facts.load_ms)
      .set("compile_ms", result.facts.compile_ms)
      .set("first_run_ms", result.facts.first_run_ms);
  if (result.facts.new_shape_ms) block.set("new_shape_ms", *result.facts.new_shape_ms);
  if (result.load) block.set("load", load_block(*result.load));
  if (result.device) block.set("device", device_block(*result.device));
  block.set("warmup_runs", result.times.warmup_runs)
      .set("steady", result.times.is_steady)
      .set("converged", result.has_converged)
      .set("base_rss_bytes", bytes_or_null(result.memory.base_rss_bytes))
      .set("peak_rss_bytes", bytes_or_null(result.memory.peak_rss_bytes))
      .set("weight_bytes", result.facts.weight_bytes)
      .set("arena_bytes", result.facts.arena_bytes)
      .set("block_medians_ms", Json::list_of(block_medians(result.times.blocks)));
  if (has_raw) {
    block.set("samples_ms", Json::list_of(all_samples(result.times.blocks)));
    Json blocks = Json::list();
    for (std::size_t i = 0; i < result.times.blocks.size(); ++i) {
      blocks.add(Json::object()
                     .set("started_s", i < result.times.started_s.size()
                                           ? Json(result.times.started_s[i])
                                           : Json())
                     .set("count", result.times.blocks[i].size()));
    }
    block.set("blocks", std::move(blocks));
  }
  return block;
}

Json comparison_block(const VariantComparison& comparison) {
  return Json::object()
      .set("a", comparison.a)
      .set("b", comparison.b)
      .set("ratio", comparison.estimate.ratio)
      .set("ratio_ci", interval_block(comparison.estimate.interval))
      .set("significant", comparison.estimate.is_significant())
      .set("noise_floor", comparison.estimate.noise_floor);
}

Json gate_block(const GateEntry& entry) {
  const bool is_memory = entry.metric == "peak_rss";
  const Json baseline = entry.baseline ? Json(*entry.baseline) : Json();
  return Json::object()
      .set("variant", entry.variant)
      .set("metric", entry.metric)
      .set("against", entry.against)
      .set("baseline_ms", is_memory ? Json() : baseline)
      .set("baseline_bytes", is_memory ? baseline : Json())
      .set("ratio", entry.ratio > 0 ? Json(entry.ratio) : Json())
      .set("ratio_ci", entry.ratio > 0 ? interval_block(entry.interval) : Json())
      .set("threshold", entry.threshold)
      .set("verdict", name_of(entry.verdict));
}

Json profile_block(const NodeRow& row, const std::string& variant) {
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  return Json::object()
      .set("variant", variant)
      .set("node", row.node)
      .set("origin", Json::list_of(row.origin))
      .set("op_type", row.op_type)
      .set("provider", row.provider)
      .set("kernel", row.kernel)
      .set("shape", row.shape)
      .set("ms", row.ms)
      .set("share", row.share)
      .set("gflops", known(row.gflops))
      .set("gbytes_per_s", known(row.gbytes_per_s))
      .set("flops", known(row.flops))
      .set("bytes", known(row.bytes))
      .set("bound", name_of(row.bound));
}

Json limits_block(const MachineLimits& limits) {
  return Json::object()
      .set("gflops", limits.gflops)
      .set("memory_gbytes_per_s", limits.memory_gbytes_per_s)
      .set("cache_gbytes_per_s", limits.cache_gbytes_per_s)
      .set("cache_bytes", limits.cache_bytes);
}

}  // namespace ortool
