// Runs bench: creates runners, measures them together, evaluates and reports.
#include "apps/ortool/bench/bench_run.hpp"

#include <algorithm>
#include <map>

#include "apps/ortool/bench/bench_page.hpp"
#include "apps/ortool/bench/bench_part.hpp"
#include "apps/ortool/bench/bench_report.hpp"
#include "apps/ortool/bench/child_runner.hpp"
#include "apps/ortool/bench/estimate_run.hpp"
#include "apps/ortool/bench/host_warnings.hpp"
#include "apps/ortool/bench/runner_protocol.hpp"
#include "apps/ortool/bench/tune.hpp"
#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/precision_options.hpp"
#include "apps/ortool/parts/shard_options.hpp"
#include "apps/ortool/report/progress.hpp"
#include "libcore/api/bench.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/measure/bench/offered_load.hpp"
#include "libcore/measure/host_watch.hpp"
#include "libcore/measure/trace.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

class BenchRun {
 public:
  explicit BenchRun(Invocation& invocation)
      : invocation_(invocation),
        options_(invocation.options),
        settings_(read_bench_settings(invocation)),
        shard_(read_bench_shard(invocation, settings_)),
        machine_(read_fingerprint(available_processors())) {}

  void run();

 private:
  void step();
  void estimate();
  void make_runners();
  void measure();
  void measure_offered_loads();
  void measure_memory_of_all();
  void profile_all();
  void judge_results();
  void report();
  void write_part();
  int verdict() const;
  bool is_gated(const std::string& variant) const;

  Invocation& invocation_;
  const OptionValues& options_;
  BenchSettings settings_;
  std::optional<BenchShard> shard_;  ///< with --shard
  MachineFingerprint machine_;
  Baseline baseline_;
  std::unique_ptr<RunnerFactory> factory_;
  BenchFindings findings_;
  std::vector<std::unique_ptr<BenchRunner>> runners_;  ///< null if skipped
};

void BenchRun::run() {
  if (options_.has("estimate")) return estimate();
  if (options_.flag("stepped")) return step();
  if (!settings_.baseline.empty())
    baseline_ = Baseline(settings_.baseline, machine_, &invocation_.memory);
  if (!baseline_.incomparable_because().empty()) {
    throw Error(ErrorCode::no_conclusion, baseline_.incomparable_because(),
                "give a folder to --baseline: it keeps one file for each machine")
        .with_id("baseline.machine");
  }
  warn_of_threads(invocation_, settings_);
  tell_threads(invocation_);
  if (options_.has("tune")) {
    TuneOutcome outcome = tune(invocation_, settings_);
    findings_.results = std::move(outcome.results);
    invocation_.report.payload.set("tuning", std::move(outcome.block));
    invocation_.report.text = std::move(outcome.text);
    findings_.comparisons = compare_all(findings_.results);
    settings_.has_target = false;
    measure_memory_of_all();
    return report();
  }
  if (shard_ && shard_->models.empty()) return write_part();
  make_runners();
  if (settings_.rate_per_s > 0 || settings_.find_rate) {
    measure_offered_loads();
  } else {
    measure();
  }
  if (options_.flag("profile")) profile_all();
  runners_.clear();
  factory_.reset();
  measure_memory_of_all();
  warn_of_denormals(invocation_, settings_);
  judge_results();
  invocation_.report.verdict = verdict();
  if (shard_) return write_part();
  report();
}

/// The report, and the part that `merge` joins.
void BenchRun::write_part() {
  report();
  write_bench_part(invocation_, *shard_);
  if (options_.text("format", "text") == "text")
    invocation_.report.text = shard_line(shard_->part, "models") + invocation_.report.text;
}

/// --stepped: only one runner and its answers.
void BenchRun::step() {
  refuse_any(options_,
             {"json", "format", "report", "raw", "profile", "tune", "isolate", "reference",
              "baseline", "max-latency", "max-rss", "find-rate", "rate", "warmup", "iterations",
              "duration", "precision-target"},
             "with --stepped", "in stepped mode the caller decides what is measured");
  const std::vector<BenchVariant> variants = list_variants(settings_);
  if (variants.size() != 1) {
    throw Error(ErrorCode::invalid,
                format("--stepped takes one variant (found {})", variants.size()),
                "give one model, provider, number of threads and one value per dimension")
        .with_id("usage.stepped");
  }
  const std::int64_t base_rss_bytes = resident_bytes();
  factory_ = std::make_unique<RunnerFactory>(invocation_, settings_);
  const std::unique_ptr<BenchRunner> runner = factory_->make(variants.front());
  answer_steps(invocation_, *runner, base_rss_bytes);
}

/// --estimate: the report has no measurements.
void BenchRun::estimate() {
  run_estimate(invocation_, settings_);
  invocation_.report.payload.set("machine", machine_block(machine_));
  for (const char* measured : {"results", "comparison", "gate", "profile"}) {
    invocation_.report.payload.set(measured, Json::list());
  }
}

void BenchRun::make_runners() {
  if (!options_.flag("isolate")) factory_ = std::make_unique<RunnerFactory>(invocation_, settings_);
  std::string missing;
  for (BenchVariant& variant :
       shard_ ? variants_of(settings_, *shard_) : list_variants(settings_)) {
    VariantResult& result = findings_.results.emplace_back();
    result.variant = variant;
    runners_.emplace_back();
    try {
      if (factory_ == nullptr) {
        // The other process does not report its assumptions.
        gather_variant_inputs(invocation_, settings_, variant, findings_.results.size() == 1);
      }
      runners_.back() =
          factory_ ? factory_->make(variant) : make_child_runner(invocation_, variant);
      result.facts = runners_.back()->facts();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::provider_unavailable || !options_.flag("skip-unavailable")) {
        throw;
      }
      result.skipped_because = error.what();
      missing = error.what();
      invocation_.note(format("{} is skipped: {}", variant.name, error.what()));
    }
  }
  if (std::all_of(runners_.begin(), runners_.end(),
                  [](const auto& runner) { return runner == nullptr; })) {
    throw Error(ErrorCode::provider_unavailable, missing,
                "`ortool providers` lists what is available")
        .with_id("provider.unavailable");
  }
}

void BenchRun::measure() {
  std::vector<BenchRunner*> runners;
  std::vector<BenchVariant> variants;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    if (runners_[i] == nullptr) continue;
    runners.push_back(runners_[i].get());
    variants.push_back(findings_.results[i].variant);
  }
  BenchOptions options;
  static_cast<BenchTiming&>(options) = settings_;
  options.compute = message_options(invocation_);
  options.are_known = [&](const std::vector<RunnerTimes>& so_far) {
    return are_known(variants, so_far, settings_, baseline_);
  };
  std::vector<BenchReport> reports = bench(runners, options);
  std::size_t next = 0;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    if (runners_[i] == nullptr) continue;
    static_cast<BenchReport&>(findings_.results[i]) = std::move(reports[next++]);
  }
}

void BenchRun::measure_offered_loads() {
  Progress progress(invocation_.task(), "measuring");
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(runners_.size()));
    if (runners_[i] == nullptr) continue;
    VariantResult& result = findings_.results[i];
    HostWatch host;
    OfferedTimes offered =
        offer_load(*runners_[i], settings_, result.variant.threads, invocation_.stop);
    for (const std::string& sentence : host.noise()) invocation_.warn(sentence);
    result.times = std::move(offered.times);
    result.load = std::move(offered.load);
    result.device = runners_[i]->device_times();
    summarize_times(result, settings_);
    result.has_converged = !offered.is_overrun;
    if (offered.is_overrun && !settings_.find_rate) {
      invocation_.warn(
          format("{}: requests arrived faster than they were answered, so waiting times only "
                 "reflect how long this was measured",
                 result.variant.name));
    }
  }
}

void BenchRun::measure_memory_of_all() {
  if (!invocation_.is_program) {
    invocation_.note("peak memory is unknown: only the ortool program measures it");
    return;
  }
  Progress progress(invocation_.task(), "measuring memory");
  std::int64_t done = 0;
  for (VariantResult& result : findings_.results) {
    progress.tell_done(done++, static_cast<std::int64_t>(findings_.results.size()));
    if (!result.was_measured()) continue;
    if (!can_have_child(options_, result.variant)) {
      invocation_.note(
          "peak memory is unknown: it is measured in another process, which cannot read standard "
          "input");
      continue;
    }
    try {
      result.memory = measure_memory(invocation_, result.variant);
    } catch (const Error& error) {
      if (error.id() != no_process_id) throw;
      invocation_.warn(format("peak memory is unknown: {}", error.message()));
    }
  }
}

void BenchRun::profile_all() {
  Progress progress(invocation_.task(), "profiling");
  std::map<int, MachineLimits> limits;
  std::string trace;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(runners_.size()));
    if (runners_[i] == nullptr) continue;
    const VariantResult& result = findings_.results[i];
    const int threads = result.variant.threads;
    const auto known = limits.find(threads);
    if (known == limits.end()) {
      limits[threads] = measure_machine_limits(threads, invocation_.stop);
    }
    NodeProfile profile = profile_nodes(
        result.variant.name, *runners_[i], limits.at(threads),
        [&] {
          const std::string& path = result.variant.model;
          return path == "-" ? nullptr : std::move(load_model_at(path).model);
        },
        invocation_.stop);
    append_trace_events(trace, *runners_[i]->session(), profile.last,
                        {result.facts.load_ms, result.facts.compile_ms},
                        static_cast<std::int64_t>(i) + 1);
    // Its texts are destroyed with the session.
    profile.last.events.clear();
    findings_.profile.push_back(std::move(profile));
  }
  const std::string path = options_.text("trace", "ortool-trace.json");
  write_file(path, "[\n" + trace + "\n]\n");
  invocation_.messages.info(format("trace written to {}", path));
}

bool BenchRun::is_gated(const std::string& variant) const {
  return std::any_of(findings_.gate.begin(), findings_.gate.end(), [&](const GateEntry& entry) {
    return (entry.variant == variant || entry.against == variant) && entry.metric != "peak_rss" &&
           entry.verdict != RegressionVerdict::fresh;
  });
}

void BenchRun::judge_results() {
  if (settings_.rate_per_s == 0 && !settings_.find_rate) {
    findings_.comparisons = compare_all(findings_.results);
  }
  findings_.gate = judge(findings_.results, settings_, baseline_);
  for (const VariantResult& result : findings_.results) {
    if (!result.was_measured() || result.times.is_steady) continue;
    invocation_.warn(format("{}: times still changed after the warm-up", result.variant.name));
  }
  for (const GateEntry& entry : findings_.gate) {
    if (entry.verdict == RegressionVerdict::incomparable) {
      invocation_.warn(format("{} has no entry for {}", entry.against, entry.variant));
    }
  }
}

int BenchRun::verdict() const {
  int code = 0;
  bool is_open = false;
  for (const GateEntry& entry : findings_.gate) {
    if (entry.verdict == RegressionVerdict::regressed)
      code = static_cast<int>(ErrorCode::negative_result);
    is_open = is_open || entry.verdict == RegressionVerdict::inconclusive ||
              entry.verdict == RegressionVerdict::incomparable;
  }
  for (const VariantResult& result : findings_.results) {
    if (!result.was_measured()) continue;
    if (result.load && result.load->bound && !result.load->keeps_bound) {
      code = static_cast<int>(ErrorCode::negative_result);
    }
    if (result.load) continue;
    // With a gate, its verdict is the conclusion.
    is_open = is_open ||
              (settings_.has_target && !result.has_converged && !is_gated(result.variant.name));
  }
  return is_open ? static_cast<int>(ErrorCode::no_conclusion) : code;
}

void BenchRun::report() {
  Report& report = invocation_.report;
  Json results = Json::list();
  for (const VariantResult& result : findings_.results) {
    results.add(result_block(result, options_.flag("raw")));
  }
  const std::string stored = baseline_.store(results, machine_);
  if (!stored.empty()) {
    invocation_.note(format(
        "no baseline for this machine yet: stored in {} for later runs to compare with", stored));
  }
  Json comparisons = Json::list();
  for (const VariantComparison& comparison : findings_.comparisons) {
    comparisons.add(comparison_block(comparison));
  }
  Json gate = Json::list();
  for (const GateEntry& entry : findings_.gate) gate.add(gate_block(entry));
  Json profile = Json::list();
  for (const NodeProfile& one : findings_.profile) {
    for (const NodeRow& row : one.rows) profile.add(profile_block(row, one.variant));
  }
  Json limits;
  if (!findings_.profile.empty()) limits = limits_block(findings_.profile.front().limits);
  report.payload.set("machine", machine_block(machine_))
      .set("precision", precision_block(options_))
      .set("results", std::move(results))
      .set("comparison", std::move(comparisons))
      .set("gate", std::move(gate))
      .set("profile", std::move(profile))
      .set("limits", std::move(limits));
  const std::string wanted = options_.text("format", "text");
  findings_.warnings = report.warnings();
  findings_.notes = report.notes();
  findings_.has_target = settings_.has_target;
  if (wanted == "text") {
    report.text = text_report(findings_, settings_) + report.text;
  } else if (wanted == "csv") {
    report.text = csv_report(findings_, options_.flag("raw"));
  } else if (wanted == "markdown") {
    report.text = markdown_report(findings_);
  } else if (wanted == "junit") {
    report.text = junit_report(findings_);
  } else if (wanted == "github") {
    report.text = github_report(findings_);
  } else if (wanted == "html") {
    report.text = bench_page_text(findings_, report.payload);
  }
}

}  // namespace

void run_bench(Invocation& invocation) {
  BenchRun(invocation).run();
}

}  // namespace ortool
