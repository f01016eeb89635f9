// Benchmark lanes: sessions in this process, and their concurrent callers.
#include "libcore/measure/bench/bench_runner.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>

#include "libcore/base/stopwatch.hpp"
#include "libcore/measure/bench/joined_threads.hpp"
#include "libcore/measure/sample_blocks.hpp"
#include "libcore/provider/device/device_report.hpp"

namespace ortool {

double timed_run_ms(const Session& session, const NamedValues& inputs, const RunOptions& options) {
  const Stopwatch watch;
  const std::vector<RunValue> outputs = session.run(inputs, options);
  return watch.milliseconds();
}

void time_first_run(const Session& session, const NamedValues& inputs, const RunOptions& options,
                    RunnerFacts& facts) {
  DeviceReport report;
  const DeviceReportScope scope(report);
  facts.first_run_ms = timed_run_ms(session, inputs, options);
  facts.has_device = report.figures.kernels > 0;
}

namespace {

constexpr std::size_t max_device_runs = 50;
constexpr std::size_t min_device_runs = 3;
constexpr double device_runs_ms = 200;

double median_ms(const std::vector<DeviceFigures>& runs, std::int64_t DeviceFigures::*part) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const DeviceFigures& run : runs) values.push_back(1e-6 * static_cast<double>(run.*part));
  return median_of(std::move(values));
}

/// Runs a shared session.
class SessionRunner : public BenchRunner {
 public:
  SessionRunner(const Session& session, RunnerFacts facts, NamedValues inputs, RunOptions options,
                int callers)
      : session_(session),
        facts_(std::move(facts)),
        inputs_(std::move(inputs)),
        options_(options),
        callers_(callers) {}

  RunnerBlock run(std::int64_t runs) override {
    RunnerBlock block;
    if (callers_ > 1) {
      run_callers(std::max<std::int64_t>(1, runs / callers_), block);
      return block;
    }
    block.samples_ms.reserve(static_cast<std::size_t>(runs));
    const Stopwatch watch;
    for (std::int64_t i = 0; i < runs; ++i) {
      block.samples_ms.push_back(timed_run_ms(session_, inputs_, options_));
    }
    block.wall_ms = watch.milliseconds();
    return block;
  }

  RunnerFacts facts() const override {
    RunnerFacts facts = facts_;
    facts.arena_bytes = session_.arena_bytes();
    facts.weight_bytes = session_.packed_bytes() + session_.constant_bytes();
    return facts;
  }
  std::optional<DeviceTimes> device_times() override {
    if (!facts_.has_device) return std::nullopt;
    std::vector<DeviceFigures> runs;
    const Stopwatch watch;
    while (runs.size() < min_device_runs ||
           (runs.size() < max_device_runs && watch.milliseconds() < device_runs_ms)) {
      DeviceReport report;
      const DeviceReportScope scope(report);
      timed_run_ms(session_, inputs_, options_);
      runs.push_back(report.figures);
    }
    // The first time opens what tells the clocks, and the device idles meanwhile.
    DeviceReport last = {.wants_clocks = true};
    for (int i = 0; i < 2; ++i) {
      const DeviceReportScope scope(last);
      timed_run_ms(session_, inputs_, options_);
    }
    return DeviceTimes{.copy_in_ms = median_ms(runs, &DeviceFigures::copy_in_ns),
                       .compute_ms = median_ms(runs, &DeviceFigures::compute_ns),
                       .copy_out_ms = median_ms(runs, &DeviceFigures::copy_out_ns),
                       .memory_bytes = runs.back().memory_bytes,
                       .clocks = std::move(last.clocks)};
  }
  const Session* session() const override { return &session_; }
  const NamedValues* inputs() const override { return &inputs_; }
  RunOptions run_options() const override { return options_; }

 private:
  void run_callers(std::int64_t runs_each, RunnerBlock& block) const {
    const auto callers = static_cast<std::size_t>(callers_);
    std::vector<std::vector<double>> samples(callers);
    std::vector<std::exception_ptr> failures(callers);
    for (std::vector<double>& own : samples) own.reserve(static_cast<std::size_t>(runs_each));
    std::latch ready(callers_);
    std::latch begin(1);
    std::atomic<bool> is_given_up{false};
    const auto call = [&](std::size_t caller) {
      ready.count_down();
      begin.wait();
      if (is_given_up) return;
      try {
        for (std::int64_t i = 0; i < runs_each; ++i) {
          samples[caller].push_back(timed_run_ms(session_, inputs_, options_));
        }
      } catch (...) {
        failures[caller] = std::current_exception();
      }
    };
    JoinedThreads threads;
    try {
      for (std::size_t caller = 0; caller < callers; ++caller)
        threads.start([&call, caller] { call(caller); });
    } catch (...) {
      is_given_up = true;
      begin.count_down();
      throw;
    }
    ready.wait();
    begin.count_down();
    const Stopwatch watch;
    threads.join();
    block.wall_ms = watch.milliseconds();
    for (std::size_t caller = 0; caller < callers; ++caller) {
      if (failures[caller]) std::rethrow_exception(failures[caller]);
      block.samples_ms.insert(block.samples_ms.end(), samples[caller].begin(),
                              samples[caller].end());
    }
  }

  const Session& session_;
  RunnerFacts facts_;
  NamedValues inputs_;
  RunOptions options_;
  int callers_;
};

}  // namespace

void describe_placement(const Session& session, const std::string& first, RunnerFacts& facts) {
  for (const Placement& placement : session.placement()) {
    if (placement.provider.empty()) continue;
    if (!first.empty() && placement.provider != first) ++facts.fallback_nodes;
    if (std::find(facts.providers.begin(), facts.providers.end(), placement.provider) ==
        facts.providers.end()) {
      facts.providers.push_back(placement.provider);
    }
  }
}

std::unique_ptr<BenchRunner> make_session_runner(const Session& session, RunnerFacts facts,
                                                 NamedValues inputs, RunOptions options,
                                                 int callers) {
  return std::make_unique<SessionRunner>(session, std::move(facts), std::move(inputs), options,
                                         callers);
}

}  // namespace ortool
