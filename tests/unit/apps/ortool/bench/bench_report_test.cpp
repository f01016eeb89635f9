// Bench reports for other programs: hostile names are escaped, missing figures stay missing.
#include "apps/ortool/bench/bench_report.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

BenchFindings findings_called(const std::string& name) {
  BenchFindings findings;
  VariantResult result;
  result.variant.name = name;
  result.variant.model = name;
  result.variant.provider = "cpu";
  for (int block = 0; block < 10; ++block) result.times.blocks.push_back({1, 1.5});
  result.times.wall_ms = 25;
  BenchSettings settings;
  settings.percentiles = {50, 99};
  summarize_times(result, settings);
  findings.results.push_back(std::move(result));
  return findings;
}

TEST_CASE("csv puts fields with commas and quotes in quotes", "[bench_report]") {
  const std::string text = csv_report(findings_called("a,\"b\""), false);
  CHECK_THAT(text, Catch::Contains("\n\"a,\"\"b\"\"\","));
  // p99 of twenty samples is unknown, and not printed as zero.
  CHECK_THAT(text, Catch::Contains(",1,1,1.5,,,,1.25,"));
}

TEST_CASE("csv with every sample has a line each", "[bench_report]") {
  const std::string text = csv_report(findings_called("m"), true);
  CHECK(std::count(text.begin(), text.end(), '\n') == 21);
}

TEST_CASE("markdown and junit keep markup in names as text", "[bench_report]") {
  const BenchFindings findings = findings_called("a|b <i>");
  CHECK_THAT(markdown_report(findings), Catch::Contains("| a\\|b \\<i\\> |"));
  CHECK_THAT(junit_report(findings), Catch::Contains("name=\"a|b &lt;i&gt;\""));
}

TEST_CASE("a variant that did not converge fails in junit where that was asked for",
          "[bench_report]") {
  BenchFindings findings = findings_called("m");
  CHECK_THAT(junit_report(findings), Catch::Contains("failures=\"1\""));
  findings.has_target = false;
  CHECK_THAT(junit_report(findings), Catch::Contains("failures=\"0\""));
  findings.results[0].skipped_because = "not here";
  CHECK_THAT(junit_report(findings), Catch::Contains("skipped=\"1\""));
}

TEST_CASE("verdicts are sentences with what was found and what is allowed", "[bench_report]") {
  const GateEntry slower{"m",  "p50",       "old", 2.0,
                         1.08, {1.06, 1.1}, 0.05,  RegressionVerdict::regressed};
  CHECK(
      verdict_sentence(slower) ==
      "regressed: m p50 is 1.080x slower than old (1.060x to 1.100x; a regression is over 5.00 %)");
  const GateEntry bound{"m",        "p95", "--max-latency",        12.0, 0.5,
                        {0.4, 0.6}, 0,     RegressionVerdict::pass};
  CHECK(verdict_sentence(bound) == "pass: m p95 is 6.000 ms, the bound 12.00 ms");
}

TEST_CASE("a ratio of times is a speed", "[bench_report]") {
  const SpeedText faster = speed_text(0.59, {0.5, 0.8});
  CHECK(faster.factor == "1.69x faster");
  CHECK(faster.interval == "1.25x to 2.00x");
  const SpeedText slower = speed_text(1.2, {0.98, 1.3});
  CHECK(slower.factor == "1.20x slower");
  CHECK(slower.interval == "0.98x to 1.30x");
  CHECK(speed_text(1.004, {1, 1.01}).factor == "1.004x slower");
  CHECK(speed_text(0.5, {0, 1}).interval == "1.00x to any");
}

TEST_CASE("percentiles are shown as far as the runs carry", "[bench_report]") {
  BenchFindings findings = findings_called("m");
  BenchSettings settings;
  settings.percentiles = {50, 99};
  const std::string few = text_report(findings, settings);
  CHECK_THAT(few, !Catch::Contains("p99  "));
  CHECK_THAT(few, Catch::Contains("too few runs for some percentiles") && Catch::Contains("p99 ") &&
                      Catch::Contains(" runs\n"));
  CHECK(few.find("p99") == few.rfind("p99"));
  VariantResult many = findings.results.front();
  for (int block = 0; block < 2000; ++block) many.times.blocks.push_back({1, 1.5});
  settings.percentiles = {50, 99};
  summarize_times(many, settings);
  findings.results.push_back(std::move(many));
  const std::string mixed = text_report(findings, settings);
  CHECK(mixed.find("p99") != mixed.rfind("p99"));
}

TEST_CASE("json gives null and a count for a percentile that is not known", "[bench_report]") {
  const Json block = result_block(findings_called("m").results.front(), false);
  const Json* latency = block.find("latency_ms");
  REQUIRE(latency != nullptr);
  CHECK(latency->find("p99")->is_null());
  CHECK(latency->find("needed_count")->find("p99")->number() >= 368);
  CHECK(latency->find("p50")->number() == 1);
}

}  // namespace
}  // namespace ortool
