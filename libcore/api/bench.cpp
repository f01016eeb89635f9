// Benchmark: measures runners in interleaved blocks and reports their figures.
#include "libcore/api/bench.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "libcore/measure/bench/measure_runners.hpp"
#include "libcore/measure/host_watch.hpp"

namespace ortool {

std::vector<BenchReport> bench(const std::vector<BenchRunner*>& runners,
                               const BenchOptions& options) {
  const ComputeScope scope(options.compute, false);
  const TaskContext& task = scope.task();
  auto are_known = options.are_known;
  if (!are_known) {
    are_known = [&options](const std::vector<RunnerTimes>& so_far) {
      return std::all_of(so_far.begin(), so_far.end(), [&](const RunnerTimes& times) {
        return median_precision(times) <= options.precision;
      });
    };
  }
  const HostWatch host;
  std::vector<RunnerTimes> times;
  {
    Progress progress(task, options.step);
    times = measure_runners(
        runners, options, task.stop, are_known,
        [&](std::int64_t done, std::int64_t total) { progress.tell_done(done, total); });
  }
  for (const std::string& sentence : host.noise()) task.warn(sentence);
  std::vector<BenchReport> reports;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    BenchReport& report = reports.emplace_back();
    report.times = std::move(times[i]);
    report.facts = runners[i]->facts();
    report.device = runners[i]->device_times();
    summarize_times(report, options);
    report.has_converged =
        report.times.is_steady && median_precision(report.times) <= options.precision;
  }
  return reports;
}

std::vector<BenchReport> bench(std::span<const Session* const> sessions, const NamedValues& inputs,
                               const BenchOptions& options) {
  RunOptions run_options;
  run_options.threads = options.compute.threads;
  run_options.stop = options.compute.stop;
  std::vector<std::unique_ptr<BenchRunner>> owners;
  std::vector<BenchRunner*> runners;
  for (const Session* session : sessions) {
    RunnerFacts facts;
    time_first_run(*session, inputs, run_options, facts);
    describe_placement(*session, {}, facts);
    owners.push_back(make_session_runner(*session, std::move(facts), inputs, run_options,
                                         std::max(1, options.concurrency)));
    runners.push_back(owners.back().get());
  }
  return bench(runners, options);
}

BenchReport bench(const Session& session, const NamedValues& inputs, const BenchOptions& options) {
  const Session* const sessions[] = {&session};
  return std::move(bench(sessions, inputs, options).front());
}

}  // namespace ortool
