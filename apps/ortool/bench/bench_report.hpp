// Reports of bench: text, CSV, Markdown, JUnit and GitHub annotations.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/bench/bench_blocks.hpp"
#include "libcore/measure/bench/bench_result.hpp"
#include "libcore/measure/bench/gate.hpp"
#include "libcore/measure/bench/node_profile.hpp"

namespace ortool {

/// All results of bench.
struct BenchFindings {
  std::vector<VariantResult> results;
  std::vector<VariantComparison> comparisons;
  std::vector<GateEntry> gate;
  std::vector<NodeProfile> profile;  ///< of all variants profiled
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  bool has_target = true;  ///< a variant that did not converge is a failure
};

std::string text_report(const BenchFindings& findings, const BenchSettings& settings);
/// One line per variant; with `has_raw` one line per sample.
std::string csv_report(const BenchFindings& findings, bool has_raw);
std::string markdown_report(const BenchFindings& findings);
/// A test case for each verdict, and one for each variant that has none: failed when regressed or
/// not converged, skipped when unavailable.
std::string junit_report(const BenchFindings& findings);
/// GitHub annotations of a change, and a table for the job summary, which is also
/// appended to the file that the environment variable GITHUB_STEP_SUMMARY names.
std::string github_report(const BenchFindings& findings);

/// "1.2 ms", with as many digits as the interval justifies.
std::string short_ms(double milliseconds);
/// A ratio of run times as a speed.
struct SpeedText {
  std::string factor;    ///< "1.69x faster"
  std::string interval;  ///< "1.65x to 1.73x"; of a slower one likewise, so 0.98x is faster then
};
SpeedText speed_text(double ratio, const Interval& interval);
/// One sentence for a verdict.
std::string verdict_sentence(const GateEntry& entry);

}  // namespace ortool
