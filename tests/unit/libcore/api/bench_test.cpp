// Benchmarks of sessions in one call: counts, figures, and what ends it.
#include "libcore/api/bench.hpp"

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr const char* measured_text =
    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[n] x) => (float[n] y) { y = Relu (x) }";

const NamedValues measured_inputs = {{"x", vector_of({1, -2, 3})}};

/// Counts its runs, each of which takes a millisecond.
class CountingRunner : public BenchRunner {
 public:
  RunnerBlock run(std::int64_t runs) override {
    count += runs;
    RunnerBlock block;
    block.samples_ms.assign(static_cast<std::size_t>(runs), 1.0);
    block.wall_ms = static_cast<double>(runs);
    return block;
  }
  RunnerFacts facts() const override { return {.load_ms = 7}; }

  std::int64_t count = 0;
};

}  // namespace

TEST_CASE("a fixed number of runs is measured, and its figures follow") {
  const auto session = make_session(measured_text);
  BenchOptions options;
  options.iterations = 50;
  options.warmup = 2;
  options.has_target = false;
  options.percentiles = {50};
  const BenchReport report = bench(*session, measured_inputs, options);
  CHECK(report.sorted_ms.size() == 50);
  CHECK(report.times.warmup_runs == 2);
  CHECK(report.median.value > 0);
  CHECK(report.times.throughput_per_s() > 0);
  CHECK(report.percentiles.size() == 1);
  CHECK(report.facts.providers == std::vector<std::string>{"cpu"});
  CHECK(report.facts.first_run_ms > 0);
}

TEST_CASE("sessions are measured in turns, and reported in their order") {
  const auto small = make_session(measured_text);
  const auto large = make_session(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[n] x) => (float[n] y) {"
      " a = Sin (x) b = Cos (a) y = Exp (b) }");
  const Session* const sessions[] = {small.get(), large.get()};
  BenchOptions options;
  options.iterations = 20;
  options.warmup = 1;
  options.has_target = false;
  const std::vector<BenchReport> reports = bench(sessions, measured_inputs, options);
  REQUIRE(reports.size() == 2);
  for (const BenchReport& report : reports) CHECK(report.sorted_ms.size() == 20);
}

TEST_CASE("runners of the caller are measured until the caller knows enough") {
  CountingRunner runner;
  BenchOptions options;
  options.warmup = 0;
  int asked = 0;
  options.are_known = [&](const std::vector<RunnerTimes>& so_far) {
    CHECK(so_far.size() == 1);
    return ++asked == 2;
  };
  std::string step;
  options.step = "counting";
  options.compute.on_step = [&](std::string_view text) {
    step = text;
    return nullptr;
  };
  const std::vector<BenchReport> reports = bench({&runner}, options);
  CHECK(asked == 2);
  CHECK(step == "counting");
  CHECK(reports.front().median.value == 1);
  CHECK(reports.front().facts.load_ms == 7);
  CHECK(reports.front().has_converged);
  CHECK(runner.count >= static_cast<std::int64_t>(reports.front().sorted_ms.size()));
}

TEST_CASE("a stop request ends measuring") {
  const auto session = make_session(measured_text);
  StopToken stop;
  stop.request(ErrorCode::timeout);
  BenchOptions options;
  options.compute.stop = &stop;
  CHECK_THROWS_AS(bench(*session, measured_inputs, options), Error);
}

}  // namespace ortool
