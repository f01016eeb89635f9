// Lanes measured in turns, each with its figures.
#include "libcore/api/bench.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "libcore/measure/bench/lane_meter.hpp"
#include "libcore/measure/host_watch.hpp"

namespace ortool {

std::vector<BenchReport> bench(const std::vector<Lane*>& lanes, const BenchOptions& options) {
  const ComputeScope scope(options.compute, false);
  const TaskContext& task = scope.task();
  auto are_known = options.are_known;
  if (!are_known) {
    are_known = [&options](const std::vector<LaneTimes>& so_far) {
      return std::all_of(so_far.begin(), so_far.end(), [&](const LaneTimes& times) {
        return median_precision(times) <= options.precision;
      });
    };
  }
  const HostWatch host;
  std::vector<LaneTimes> times;
  {
    const Progress progress(task, options.step);
    times = measure_lanes(lanes, options, task.stop, are_known);
  }
  for (const std::string& sentence : host.noise()) task.warn(sentence);
  std::vector<BenchReport> reports;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    BenchReport& report = reports.emplace_back();
    report.times = std::move(times[i]);
    report.facts = lanes[i]->facts();
    summarize_times(report, options);
    report.is_settled =
        report.times.is_steady && median_precision(report.times) <= options.precision;
  }
  return reports;
}

std::vector<BenchReport> bench(std::span<const Session* const> sessions, const NamedValues& inputs,
                               const BenchOptions& options) {
  RunOptions run_options;
  run_options.threads = options.compute.threads;
  run_options.stop = options.compute.stop;
  std::vector<std::unique_ptr<Lane>> owners;
  std::vector<Lane*> lanes;
  for (const Session* session : sessions) {
    LaneFacts facts;
    facts.first_run_ms = timed_run_ms(*session, inputs, run_options);
    describe_placement(*session, {}, facts);
    owners.push_back(make_session_lane(*session, std::move(facts), inputs, run_options,
                                       std::max(1, options.concurrency)));
    lanes.push_back(owners.back().get());
  }
  return bench(lanes, options);
}

BenchReport bench(const Session& session, const NamedValues& inputs, const BenchOptions& options) {
  const Session* const sessions[] = {&session};
  return std::move(bench(sessions, inputs, options).front());
}

}  // namespace ortool
