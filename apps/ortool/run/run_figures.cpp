// Statistics of a run: placement by provider, in the session's node order.
#include "apps/ortool/run/run_figures.hpp"

#include <algorithm>

#include <sys/resource.h>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/measure/trace.hpp"

namespace ortool {
namespace {

std::int64_t peak_resident_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

void report_placement(Report& report, const Session& session, const Profile& profile) {
  const auto shares = provider_shares(profile);
  std::vector<std::pair<std::string, Json>> reasons;
  std::vector<std::int64_t> counts;
  for (const Placement& placement : session.placement()) {
    std::size_t i = 0;
    while (i < reasons.size() && reasons[i].first != placement.provider) ++i;
    if (i == reasons.size()) {
      reasons.emplace_back(placement.provider, Json::list());
      counts.push_back(0);
    }
    ++counts[i];
    for (const std::string& reason : placement.reasons) {
      reasons[i].second.add(Json::object().set("node", placement.node).set("reason", reason));
    }
  }
  Json list = Json::list();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    Json share;
    for (const auto& [provider, value] : shares) {
      if (provider == reasons[i].first) share = Json(value);
    }
    list.add(Json::object()
                 .set("provider", reasons[i].first)
                 .set("nodes", counts[i])
                 .set("share_of_time", std::move(share))
                 .set("copies_bytes", 0)
                 .set("reasons", std::move(reasons[i].second)));
  }
  report.payload.set("placement", std::move(list));
}

}  // namespace

double median_ms(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void run_iterations(Invocation& invocation, RunTimes& times,
                    FunctionRef<void(Progress* progress, bool is_last)> run) {
  const std::int64_t repeats = invocation.options.integer("iterations", 1);
  std::vector<double> run_ms;
  Progress progress(invocation.task(), "running");
  for (std::int64_t i = 0; i < repeats; ++i) {
    if (repeats > 1) progress.tell_done(i, repeats);
    const Stopwatch watch;
    run(repeats > 1 ? nullptr : &progress, i + 1 == repeats);
    (i == 0 ? times.first_run_ms : run_ms.emplace_back()) = watch.milliseconds();
    invocation.stop.poll();
  }
  times.run_ms = run_ms.empty() ? times.first_run_ms : median_ms(std::move(run_ms));
}

void report_iterations(Invocation& invocation, const RunTimes& times) {
  const std::int64_t repeats = invocation.options.integer("iterations", 1);
  if (repeats <= 1) return;
  invocation.report.text += format("{} runs: first {}, then {} (median)\n", repeats,
                                   readable_ms(times.first_run_ms), readable_ms(times.run_ms));
}

void report_figures(Invocation& invocation, const Session& session, const Profile& profile,
                    const RunTimes& times, bool has_runs) {
  Report& report = invocation.report;
  report_placement(report, session, profile);
  report.payload.set("precision", precision_block(invocation.options));
  Json cache = cache_block(invocation, session);
  if (invocation.options.has("cache-dir")) report.payload.set("cache", std::move(cache));
  if (session.cache().has_packed) report.payload.set("packed", packed_block(session));
  const auto time_or_null = [&](double milliseconds) {
    return has_runs ? Json(milliseconds) : Json();
  };
  report.payload.set("timing", Json::object()
                                   .set("load_ms", times.load_ms)
                                   .set("compile_ms", times.compile_ms)
                                   .set("first_run_ms", time_or_null(times.first_run_ms))
                                   .set("run_ms", time_or_null(times.run_ms)));
  report.payload.set("memory",
                     Json::object()
                         .set("peak_rss_bytes", peak_resident_bytes())
                         .set("arena_bytes", session.arena_bytes())
                         .set("weight_bytes", session.packed_bytes() + session.constant_bytes()));
  invocation.messages.info(format("load {}, compile {}, first run {}, peak memory {}",
                                  readable_ms(times.load_ms), readable_ms(times.compile_ms),
                                  readable_ms(times.first_run_ms),
                                  readable_bytes(static_cast<double>(peak_resident_bytes()))));
}

}  // namespace ortool
