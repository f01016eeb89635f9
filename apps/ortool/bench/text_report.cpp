// Text report of bench: tables for terminals.
#include <algorithm>
#include <cmath>
#include <map>

#include "apps/ortool/bench/bench_report.hpp"
#include "apps/ortool/bench/device_rows.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/escape.hpp"

namespace ortool {
namespace {

using Align = TextTable::Align;

std::string percent_text(double share) {
  return fixed_number(100 * share, share < 0.1 ? 2 : 1) + " %";
}

std::string percentile_cell(const PercentileEstimate& estimate) {
  return estimate.has_enough ? short_ms(estimate.value) : "-";
}

/// The percentiles besides the median that any variant has enough runs for.
std::vector<double> shown_percentiles(const BenchFindings& findings) {
  std::vector<double> shown;
  for (const VariantResult& result : findings.results) {
    for (const PercentileRow& row : result.percentiles) {
      const bool is_new = std::find(shown.begin(), shown.end(), row.percent) == shown.end();
      if (row.percent != 50 && row.estimate.has_enough && is_new) shown.push_back(row.percent);
    }
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

/// One line for all percentiles with too few runs: "p95 needs 73 runs, p99 368".
std::string missing_percentiles(const BenchFindings& findings) {
  std::map<double, std::int64_t> needed;
  for (const VariantResult& result : findings.results) {
    for (const PercentileRow& row : result.percentiles) {
      if (row.estimate.has_enough) continue;
      std::int64_t& most = needed[row.percent];
      most = std::max(most, static_cast<std::int64_t>(row.estimate.needed));
    }
  }
  std::string text;
  for (const auto& [percent, runs] : needed)
    text += format("{}{} {} runs", text.empty() ? "" : ", ", percentile_key(percent), runs);
  return text.empty() ? text
                      : "too few runs for some percentiles, which need more (--iterations, "
                        "--duration): " +
                            text + "\n";
}

std::string steady_table(const BenchFindings& findings) {
  const std::vector<double> shown = shown_percentiles(findings);
  std::vector<Align> alignment(5 + shown.size(), Align::right);
  alignment.front() = Align::left;
  TextTable table(alignment);
  std::vector<std::string> heads = {"steady state"};
  heads.emplace_back("median (95 % interval)");
  for (const double percent : shown) heads.push_back(percentile_key(percent));
  for (const char* head : {"mean", "runs/s", "runs"}) heads.emplace_back(head);
  table.add_row(heads);
  for (const VariantResult& result : findings.results) {
    if (!result.was_measured()) continue;
    std::vector<std::string> cells = {result.variant.name};
    cells.push_back(result.median.has_enough
                        ? format("{} ({} to {})", short_ms(result.median.value),
                                 short_ms(result.median.interval.low),
                                 short_ms(result.median.interval.high))
                        : percentile_cell(result.median));
    for (const double percent : shown) {
      const auto row =
          std::find_if(result.percentiles.begin(), result.percentiles.end(),
                       [&](const PercentileRow& each) { return each.percent == percent; });
      cells.push_back(row == result.percentiles.end() ? "-" : percentile_cell(row->estimate));
    }
    cells.push_back(short_ms(result.mean_ms));
    cells.push_back(readable_count(result.times.throughput_per_s()));
    cells.push_back(readable_count(static_cast<double>(result.sorted_ms.size())));
    table.add_row(std::move(cells));
  }
  return table.to_string() + missing_percentiles(findings);
}

std::string before_table(const BenchFindings& findings) {
  bool has_new_shapes = false;
  for (const VariantResult& result : findings.results) {
    has_new_shapes = has_new_shapes || result.facts.new_shape_ms.has_value();
  }
  std::vector<Align> alignment(7, Align::right);
  alignment.front() = Align::left;
  TextTable table(alignment);
  std::vector<std::string> heads = {"startup", "load", "compile", "first run"};
  if (has_new_shapes) heads.emplace_back("new shape");
  heads.emplace_back("warm-up runs");
  heads.emplace_back("peak memory");
  table.add_row(heads);
  for (const VariantResult& result : findings.results) {
    if (!result.was_measured()) continue;
    const RunnerFacts& facts = result.facts;
    std::vector<std::string> cells = {result.variant.name, short_ms(facts.load_ms),
                                      short_ms(facts.compile_ms), short_ms(facts.first_run_ms)};
    if (has_new_shapes) {
      cells.push_back(facts.new_shape_ms ? short_ms(*facts.new_shape_ms) : "-");
    }
    cells.push_back(std::to_string(result.times.warmup_runs));
    cells.push_back(result.memory.peak_rss_bytes > 0
                        ? readable_bytes(static_cast<double>(result.memory.peak_rss_bytes))
                        : "-");
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

std::string device_table(const BenchFindings& findings) {
  const std::vector<std::vector<std::string>> rows = device_rows(findings);
  if (rows.empty()) return {};
  std::vector<Align> alignment(rows.front().size(), Align::right);
  alignment.front() = Align::left;
  // The reasons of clocks.
  if (alignment.size() > 5) alignment.back() = Align::left;
  TextTable table(alignment);
  for (const std::vector<std::string>& row : rows) table.add_row(row);
  return "\n" + table.to_string();
}

std::string load_line(const VariantResult& result) {
  const OfferedLoad& load = *result.load;
  const std::string name = printable(result.variant.name);
  if (load.bound && !load.keeps_bound) {
    return format("{}: no rate with {} within {}\n", name, percentile_key(load.bound->percent),
                  short_ms(load.bound->bound_ms));
  }
  std::string line = load.bound
                         ? format("{}: the highest rate with {} within {} is {}/s", name,
                                  percentile_key(load.bound->percent),
                                  short_ms(load.bound->bound_ms), readable_count(load.rate_per_s))
                         : format("{}: {}/s offered", name, readable_count(load.rate_per_s));
  return line +
         format(" ({}), {}/s answered\n", load.distribution, readable_count(load.achieved_per_s));
}

std::string profile_table(const BenchFindings& findings) {
  std::string text;
  constexpr std::size_t max_rows = 25;
  for (const NodeProfile& profile : findings.profile) {
    text += format("\nwhere the time of {} goes ({} per run, {} of it outside kernels)\n",
                   printable(profile.variant), short_ms(profile.run_ms),
                   short_ms(profile.run_ms - profile.kernels_ms));
    text += "outside kernels: checking inputs, binding outputs, and going from node to node\n";
    text += format("this machine: {} GFLOP/s, memory {} GB/s, caches {} GB/s\n",
                   fixed_number(profile.limits.gflops, 0),
                   fixed_number(profile.limits.memory_gbytes_per_s, 1),
                   fixed_number(profile.limits.cache_gbytes_per_s, 0));
    TextTable table({Align::left, Align::left, Align::left, Align::right, Align::right,
                     Align::right, Align::right, Align::left});
    table.add_row({"node", "type", "kernel", "time", "share", "GFLOP/s", "GB/s", "bound by"});
    for (std::size_t i = 0; i < profile.rows.size() && i < max_rows; ++i) {
      const NodeRow& row = profile.rows[i];
      table.add_row({row.node, row.op_type, row.kernel, short_ms(row.ms), percent_text(row.share),
                     row.gflops > 0 ? fixed_number(row.gflops, 1) : "-",
                     row.gbytes_per_s > 0 ? fixed_number(row.gbytes_per_s, 1) : "-",
                     std::string(name_of(row.bound))});
    }
    text += table.to_string(2);
    if (profile.rows.size() > max_rows) {
      text += format("  and {} more nodes (--json lists all)\n", profile.rows.size() - max_rows);
    }
  }
  return text;
}

}  // namespace

std::string short_ms(double milliseconds) {
  if (milliseconds >= 1000) return fixed_number(milliseconds / 1000, 3) + " s";
  if (milliseconds >= 100) return fixed_number(milliseconds, 1) + " ms";
  if (milliseconds >= 10) return fixed_number(milliseconds, 2) + " ms";
  if (milliseconds >= 0.1) return fixed_number(milliseconds, 3) + " ms";
  return fixed_number(milliseconds * 1000, 2) + " us";
}

SpeedText speed_text(double ratio, const Interval& interval) {
  constexpr double fine_below = 1.1;
  const bool is_faster = ratio < 1;
  const double factor = is_faster ? 1 / ratio : ratio;
  const int digits = factor < fine_below ? 3 : 2;
  const auto number = [&](double value) {
    return std::isfinite(value) ? fixed_number(value, digits) + "x" : "any";
  };
  const double low = is_faster ? 1 / interval.high : interval.low;
  const double high = is_faster ? 1 / interval.low : interval.high;
  return {number(factor) + (is_faster ? " faster" : " slower"),
          format("{} to {}", number(low), number(high))};
}

std::string verdict_sentence(const GateEntry& entry) {
  const bool is_memory = entry.metric == "peak_rss";
  const bool is_bound = is_memory || entry.against == "--max-latency";
  std::string text = format("{}: {} {}", name_of(entry.verdict), entry.variant, entry.metric);
  const auto amount = [&](double value) {
    return is_memory ? readable_bytes(value) : short_ms(value);
  };
  if (entry.ratio <= 0 || !entry.baseline) {
    return text + (entry.verdict == RegressionVerdict::fresh ? ": nothing to compare with yet"
                   : is_bound                                ? ": unknown"
                              : ": " + entry.against + " has no such entry");
  }
  if (is_bound) {
    return text + format(" is {}, the bound {}", amount(entry.ratio * *entry.baseline),
                         amount(*entry.baseline));
  }
  const SpeedText speed = speed_text(entry.ratio, entry.interval);
  return text + format(" is {} than {} ({}; a regression is over {})", speed.factor, entry.against,
                       speed.interval, percent_text(entry.threshold));
}

std::string text_report(const BenchFindings& findings, const BenchSettings& settings) {
  std::string text =
      steady_table(findings) + "\n" + before_table(findings) + device_table(findings);
  for (const VariantResult& result : findings.results) {
    if (result.load) text += load_line(result);
    if (!result.was_measured()) {
      text += format("{}: skipped, {}\n", printable(result.variant.name),
                     printable(result.skipped_because));
    } else if (settings.has_target && !result.has_converged && !result.load) {
      text += format("{}: did not converge (median known to {}, target {}{})\n",
                     printable(result.variant.name),
                     result.median.has_enough ? "+-" + percent_text(median_precision(result.times))
                                              : "nothing",
                     percent_text(settings.precision),
                     result.times.is_steady ? "" : "; times still changed after the warm-up");
    }
  }
  for (const VariantComparison& comparison : findings.comparisons) {
    const RatioEstimate& estimate = comparison.estimate;
    const SpeedText speed = speed_text(estimate.ratio, estimate.interval);
    text += format("{} is {} than {} ({}, {}; noise floor {})\n", printable(comparison.a),
                   speed.factor, printable(comparison.b), speed.interval,
                   estimate.is_significant() ? "significant" : "no significant difference",
                   percent_text(estimate.noise_floor));
  }
  for (const GateEntry& entry : findings.gate) text += printable(verdict_sentence(entry)) + "\n";
  return text + profile_table(findings);
}

}  // namespace ortool
