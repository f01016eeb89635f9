// Regression gate: verdicts on results with known truth, and baselines written and read back.
#include "libcore/measure/bench/gate.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "apps/ortool/bench/bench_blocks.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/file/atomic_file.hpp"

namespace ortool {
namespace {

VariantResult result_of(const std::string& model, double ms, bool is_reference = false) {
  VariantResult result;
  result.variant = {model + " cpu threads=1", model, model, "cpu", 1, {}, is_reference};
  for (int block = 0; block < 30; ++block) {
    result.times.blocks.push_back({ms, ms * (1 + 0.001 * (block % 3)), ms});
  }
  result.times.wall_ms = 90 * ms;
  result.memory = {1 << 20, 64 << 20};
  BenchSettings settings;
  settings.percentiles = {50, 99};
  summarize_times(result, settings);
  return result;
}

BenchSettings settings_with(double threshold) {
  BenchSettings settings;
  settings.max_regression[""] = threshold;
  return settings;
}

std::string verdict_of(const std::vector<VariantResult>& results, const BenchSettings& settings,
                       const Baseline& baseline = {}) {
  const std::vector<GateEntry> entries = judge(results, settings, baseline);
  REQUIRE(entries.size() == 1);
  return std::string(name_of(entries.front().verdict));
}

MachineFingerprint machine_called(std::string cpu) {
  MachineFingerprint machine;
  machine.cpu = std::move(cpu);
  machine.processors = 2;
  return machine;
}

TEST_CASE("a reference is what a variant of the same setting is held against", "[gate]") {
  const std::vector<VariantResult> slower = {result_of("new", 1.1), result_of("old", 1, true)};
  CHECK(verdict_of(slower, settings_with(0.05)) == "regressed");
  CHECK(verdict_of(slower, settings_with(0.2)) == "pass");
  CHECK(verdict_of({result_of("new", 1), result_of("old", 1, true)}, settings_with(0.05)) ==
        "pass");
}

TEST_CASE("thresholds go by the first provider of a variant", "[gate]") {
  BenchSettings settings = settings_with(0.01);
  settings.max_regression["cpu"] = 0.5;
  CHECK(settings.threshold_of("cpu") == 0.5);
  CHECK(settings.threshold_of("onednn") == 0.01);
  CHECK(verdict_of({result_of("new", 1.1), result_of("old", 1, true)}, settings) == "pass");
}

TEST_CASE("bounds on times and memory are kept or broken", "[gate]") {
  BenchSettings settings;
  settings.max_latency = LatencyBound{50, 2};
  CHECK(verdict_of({result_of("m", 1)}, settings) == "pass");
  CHECK(verdict_of({result_of("m", 3)}, settings) == "regressed");
  // 90 samples are too few for p99.
  settings.max_latency = LatencyBound{99, 2};
  CHECK(verdict_of({result_of("m", 1)}, settings) == "inconclusive");
  settings.max_latency.reset();
  settings.max_rss_bytes = 100 << 20;
  CHECK(verdict_of({result_of("m", 1)}, settings) == "pass");
  settings.max_rss_bytes = 10 << 20;
  CHECK(verdict_of({result_of("m", 1)}, settings) == "regressed");
}

TEST_CASE("a folder keeps a file for each machine and compares with its own", "[gate]") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ortool-gate-test-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  BenchSettings settings = settings_with(0.05);
  settings.baseline = folder.string();
  const MachineFingerprint here = machine_called("here");
  const auto store = [&](const MachineFingerprint& machine, double ms) {
    const Json results = Json::list().add(result_block(result_of("m", ms), false));
    return Baseline(folder.string(), machine).store(results, machine);
  };
  CHECK(verdict_of({result_of("m", 1)}, settings, Baseline(folder.string(), here)) == "new");
  const std::string file = store(here, 1);
  CHECK(std::filesystem::exists(file));
  CHECK(store(here, 5).empty());
  const Baseline known(folder.string(), here);
  CHECK(verdict_of({result_of("m", 1)}, settings, known) == "pass");
  CHECK(verdict_of({result_of("m", 1.2)}, settings, known) == "regressed");
  CHECK(verdict_of({result_of("other", 1)}, settings, known) == "new");
  const MachineFingerprint there = machine_called("there");
  CHECK(verdict_of({result_of("m", 9)}, settings, Baseline(folder.string(), there)) == "new");

  // A baseline file is used on its own machine only, also if the model has another name.
  settings.baseline = file;
  const Baseline as_file(file, here);
  CHECK(as_file.incomparable_because().empty());
  CHECK(verdict_of({result_of("renamed", 1.2)}, settings, as_file) == "regressed");
  CHECK_FALSE(Baseline(file, there).incomparable_because().empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("what is no report of bench is refused", "[gate]") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("ortool-no-report-" + std::to_string(getpid()));
  write_file(file.string(), "{\"results\": 3}");
  CHECK_THROWS_WITH(Baseline(file.string(), machine_called("here")),
                    Catch::Contains("not a report"));
  std::filesystem::remove(file);
}

TEST_CASE("without references variants are compared with the first", "[gate]") {
  const std::vector<VariantComparison> found = compare_all({result_of("a", 1), result_of("b", 2)});
  REQUIRE(found.size() == 1);
  CHECK(found[0].a == "b cpu threads=1");
  CHECK(found[0].estimate.ratio == Approx(2).epsilon(0.01));
  CHECK(found[0].estimate.is_significant());
}

}  // namespace
}  // namespace ortool
