// Tabular reports of bench: CSV, Markdown, JUnit and GitHub.
#include <cstdlib>
#include <fstream>

#include "apps/ortool/bench/bench_report.hpp"
#include "apps/ortool/bench/device_rows.hpp"
#include "apps/ortool/report/csv.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/escape.hpp"

namespace ortool {
namespace {

std::string number_or_nothing(double value, bool is_known) {
  return is_known ? format("{}", value) : std::string();
}

std::string csv_of_samples(const BenchFindings& findings) {
  std::string text = csv_line({"variant", "block", "started_s", "sample_ms"});
  for (const VariantResult& result : findings.results) {
    for (std::size_t block = 0; block < result.times.blocks.size(); ++block) {
      const bool has_start = block < result.times.started_s.size();
      for (const double sample : result.times.blocks[block]) {
        text +=
            csv_line({result.variant.name, std::to_string(block),
                      number_or_nothing(has_start ? result.times.started_s[block] : 0, has_start),
                      format("{}", sample)});
      }
    }
  }
  return text;
}

/// Escapes characters that break a table cell or are markup.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char character : printable(text)) {
    if (std::string_view("|\\`*_<>[]").find(character) != std::string_view::npos) cell += '\\';
    cell += character;
  }
  return cell;
}

std::string markdown_device_table(const BenchFindings& findings) {
  std::string text;
  for (const std::vector<std::string>& row : device_rows(findings)) {
    const bool is_head = text.empty();
    text += is_head ? "\n|" : "|";
    for (const std::string& cell : row) text += " " + markdown_cell(cell) + " |";
    text += "\n";
    if (!is_head) continue;
    text += "|";
    for (std::size_t i = 0; i < row.size(); ++i) text += "---|";
    text += "\n";
  }
  return text;
}

std::string xml_text(std::string_view text) {
  return escape_markup(printable(text));
}

std::string median_text(const VariantResult& result) {
  if (!result.was_measured()) return "skipped";
  if (!result.median.has_enough) return format("needs {} runs", result.median.needed);
  return format("{} ({} to {})", short_ms(result.median.value),
                short_ms(result.median.interval.low), short_ms(result.median.interval.high));
}

std::string_view sign_of(RegressionVerdict verdict) {
  switch (verdict) {
    case RegressionVerdict::pass:
      return "✅ pass";
    case RegressionVerdict::regressed:
      return "❌ regressed";
    case RegressionVerdict::fresh:
      return "🆕 new";
    default:
      return "❔ ";
  }
}

/// A value of a GitHub workflow command: RFC 3986 escapes for line breaks.
std::string command_text(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '%') {
      result += "%25";
    } else if (character == '\n') {
      result += "%0A";
    } else if (character == '\r') {
      result += "%0D";
    } else {
      result += character;
    }
  }
  return result;
}

}  // namespace

std::string csv_report(const BenchFindings& findings, bool has_raw) {
  if (has_raw) return csv_of_samples(findings);
  std::vector<std::string> heads = {"variant", "model", "provider", "threads", "dims", "status"};
  const std::vector<PercentileRow>* rows = nullptr;
  for (const VariantResult& result : findings.results) {
    if (rows == nullptr && result.was_measured()) rows = &result.percentiles;
  }
  if (rows == nullptr) return csv_line(heads);
  for (const PercentileRow& row : *rows) {
    const std::string key = percentile_key(row.percent);
    for (const char* part : {"_ms", "_low_ms", "_high_ms"}) heads.push_back(key + part);
  }
  for (const char* head : {"mean_ms", "std_ms", "min_ms", "max_ms", "count", "throughput_per_s",
                           "load_ms", "compile_ms", "first_run_ms", "new_shape_ms", "warmup_runs",
                           "converged", "peak_rss_bytes"}) {
    heads.emplace_back(head);
  }
  for (std::string& head : device_csv_heads()) heads.push_back(std::move(head));
  std::string text = csv_line(heads);
  for (const VariantResult& result : findings.results) {
    const BenchVariant& variant = result.variant;
    std::string dims;
    for (const auto& [name, number] : variant.dims) {
      dims += (dims.empty() ? "" : " ") + name + "=" + number;
    }
    std::vector<std::string> fields = {variant.name,
                                       variant.model,
                                       variant.provider,
                                       std::to_string(variant.threads),
                                       dims,
                                       result.was_measured() ? "ok" : "unavailable"};
    if (!result.was_measured()) {
      fields.resize(heads.size());
      text += csv_line(fields);
      continue;
    }
    for (const PercentileRow& row : result.percentiles) {
      const PercentileEstimate& found = row.estimate;
      for (const double value : {found.value, found.interval.low, found.interval.high}) {
        fields.push_back(number_or_nothing(value, found.has_enough));
      }
    }
    const RunnerFacts& facts = result.facts;
    for (const double value :
         {result.mean_ms, result.std_ms, result.sorted_ms.front(), result.sorted_ms.back(),
          static_cast<double>(result.sorted_ms.size()), result.times.throughput_per_s(),
          facts.load_ms, facts.compile_ms, facts.first_run_ms}) {
      fields.push_back(format("{}", value));
    }
    fields.push_back(
        number_or_nothing(facts.new_shape_ms.value_or(0), facts.new_shape_ms.has_value()));
    fields.push_back(std::to_string(result.times.warmup_runs));
    fields.emplace_back(result.has_converged ? "true" : "false");
    fields.push_back(number_or_nothing(static_cast<double>(result.memory.peak_rss_bytes),
                                       result.memory.peak_rss_bytes > 0));
    for (std::string& field : device_csv_fields(result.device)) fields.push_back(std::move(field));
    text += csv_line(fields);
  }
  return text;
}

std::string markdown_report(const BenchFindings& findings) {
  std::string text =
      "| variant | median (95 % interval) | runs/s | first run | peak memory |\n"
      "|---|---|---|---|---|\n";
  for (const VariantResult& result : findings.results) {
    text += format("| {} | {} | {} | {} | {} |\n", markdown_cell(result.variant.name),
                   median_text(result),
                   result.was_measured() ? readable_count(result.times.throughput_per_s()) : "",
                   result.was_measured() ? short_ms(result.facts.first_run_ms) : "",
                   result.memory.peak_rss_bytes > 0
                       ? readable_bytes(static_cast<double>(result.memory.peak_rss_bytes))
                       : "");
  }
  text += markdown_device_table(findings);
  if (!findings.comparisons.empty()) {
    text +=
        "\n| compared | with | speed (99 % interval) | significant | noise floor |\n"
        "|---|---|---|---|---|\n";
    for (const VariantComparison& comparison : findings.comparisons) {
      const RatioEstimate& estimate = comparison.estimate;
      const SpeedText speed = speed_text(estimate.ratio, estimate.interval);
      text += format("| {} | {} | {} ({}) | {} | {} % |\n", markdown_cell(comparison.a),
                     markdown_cell(comparison.b), speed.factor, speed.interval,
                     estimate.is_significant() ? "yes" : "no",
                     fixed_number(100 * estimate.noise_floor, 2));
    }
  }
  if (!findings.gate.empty()) {
    text +=
        "\n| verdict | variant | metric | ratio (99 % interval) | threshold "
        "|\n|---|---|---|---|---|\n";
    for (const GateEntry& entry : findings.gate) {
      std::string sign(sign_of(entry.verdict));
      if (sign.ends_with(' ')) sign += name_of(entry.verdict);
      text += format("| {} | {} | {} | {} | {} % |\n", sign, markdown_cell(entry.variant),
                     markdown_cell(entry.metric),
                     entry.ratio > 0 ? format("{} ({} to {})", fixed_number(entry.ratio, 3),
                                              fixed_number(entry.interval.low, 3),
                                              fixed_number(entry.interval.high, 3))
                                     : std::string(),
                     fixed_number(100 * entry.threshold, 1));
    }
  }
  for (const std::string& warning : findings.warnings) {
    text += "\n> " + markdown_cell(warning) + "\n";
  }
  for (const std::string& note : findings.notes) text += "\nNote: " + markdown_cell(note) + "\n";
  return text;
}

std::string junit_report(const BenchFindings& findings) {
  std::string cases;
  std::int64_t count = 0;
  std::int64_t failures = 0;
  std::int64_t skipped = 0;
  const auto add = [&](const std::string& name, double seconds, const std::string& inside) {
    ++count;
    cases += format("    <testcase classname=\"ortool.bench\" name=\"{}\" time=\"{}\"",
                    xml_text(name), fixed_number(seconds, 9));
    cases += inside.empty() ? "/>\n" : ">\n      " + inside + "\n    </testcase>\n";
  };
  const auto failure = [&](const std::string& message) {
    ++failures;
    return format("<failure message=\"{}\"/>", xml_text(message));
  };
  for (const VariantResult& result : findings.results) {
    const std::string& name = result.variant.name;
    if (!result.was_measured()) {
      ++skipped;
      add(name, 0, format("<skipped message=\"{}\"/>", xml_text(result.skipped_because)));
      continue;
    }
    bool has_verdict = false;
    const double seconds = result.median.value / 1e3;
    for (const GateEntry& entry : findings.gate) {
      if (entry.variant != name) continue;
      has_verdict = true;
      const bool is_good =
          entry.verdict == RegressionVerdict::pass || entry.verdict == RegressionVerdict::fresh;
      add(format("{} {} against {}", name, entry.metric, entry.against), seconds,
          is_good ? std::string() : failure(verdict_sentence(entry)));
    }
    if (has_verdict || result.variant.is_reference) continue;
    add(name, seconds,
        result.has_converged || !findings.has_target ? std::string() : failure("did not converge"));
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         format("<testsuites tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n", count, failures,
                skipped) +
         format("  <testsuite name=\"ortool bench\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                count, failures, skipped) +
         cases + "  </testsuite>\n</testsuites>\n";
}

std::string github_report(const BenchFindings& findings) {
  std::string commands;
  for (const GateEntry& entry : findings.gate) {
    if (entry.verdict == RegressionVerdict::pass || entry.verdict == RegressionVerdict::fresh)
      continue;
    commands += format("::{} title=ortool bench::{}\n",
                       entry.verdict == RegressionVerdict::regressed ? "error" : "warning",
                       command_text(verdict_sentence(entry)));
  }
  for (const std::string& warning : findings.warnings) {
    commands += format("::notice title=ortool bench::{}\n", command_text(warning));
  }
  const std::string summary = "### ortool bench\n\n" + markdown_report(findings);
  const char* path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0') return commands + summary;
  std::ofstream file(path, std::ios::app);
  file << summary;
  file.close();
  if (!file) {
    throw Error(ErrorCode::write_failed, "cannot write the job's summary",
                "check the environment variable GITHUB_STEP_SUMMARY")
        .in(path)
        .with_id("output.write");
  }
  return commands + summary;
}

}  // namespace ortool
