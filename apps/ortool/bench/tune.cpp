// Tunes run settings: interleaved comparisons, in which a candidate must be significantly faster.
#include "apps/ortool/bench/tune.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/api/bench.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/measure/bench/gate.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

constexpr double seconds_a_runner = 4;
/// Minimum gain of a candidate: less does not justify a setting.
constexpr double min_tune_gain = 0.02;
constexpr std::size_t profiled_runs = 15;

/// One candidate configuration and its measurement.
struct Entry {
  BenchVariant variant;
  std::unique_ptr<BenchRunner> runner;
  BenchReport report;
  double p50_ms = 0;
};

/// In the format of --config.
Json settings_of(const BenchVariant& variant) {
  Json settings = Json::object().set("provider", variant.provider).set("threads", variant.threads);
  Json pins = Json::list();
  std::string execution = "sequential";
  for (const auto& [name, value] : variant.more_options) {
    if (name == "node-provider") pins.add(value);
    if (name == "execution") execution = value;
  }
  settings.set("execution", execution);
  if (!pins.items().empty()) settings.set("node-provider", std::move(pins));
  return settings;
}

class Tuner {
 public:
  Tuner(Invocation& invocation, const BenchSettings& settings)
      : invocation_(invocation), settings_(settings) {
    settings_.seconds_a_runner = seconds_a_runner;
    settings_.threads = thread_counts();
    factory_ = std::make_unique<RunnerFactory>(invocation_, settings_);
  }

  TuneOutcome run();

 private:
  static std::vector<int> thread_counts();
  std::vector<std::string> provider_lists() const;
  std::unique_ptr<Entry> enter(BenchVariant variant);
  void compare_candidates(const std::vector<Entry*>& entries);
  /// The default, unless an entry is measurably faster, or needs fewer threads and is surely not
  /// slower.
  Entry* winner(Entry* standard, const std::vector<Entry*>& entries) const;
  std::vector<std::string> node_providers(const std::vector<Entry*>& rivals) const;
  std::map<std::string, double> node_times(Entry& entry) const;
  TuneOutcome outcome(const std::vector<Entry*>& last_round, const Entry& standard,
                      const Entry& best);

  Invocation& invocation_;
  BenchSettings settings_;
  std::unique_ptr<RunnerFactory> factory_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

std::vector<int> Tuner::thread_counts() {
  const int most = available_processors();
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

/// The given ones; otherwise the default order, and each available provider followed by cpu. With
/// a single provider that is the default order.
std::vector<std::string> Tuner::provider_lists() const {
  if (settings_.names_providers) return settings_.providers;
  std::vector<std::string> lists;
  for (const ProviderEntry& entry : provider_list()) {
    if (entry.make == nullptr || !entry.make({})->unavailable_because().empty()) continue;
    lists.push_back(entry.name == "cpu" ? "cpu" : format("{},cpu", entry.name));
  }
  if (lists.size() > 1) lists.insert(lists.begin(), "auto");
  return lists;
}

std::unique_ptr<Entry> Tuner::enter(BenchVariant variant) {
  variant.name = format("{} {}", variant.model_label, variant.setting());
  std::size_t pins = 0;
  for (const auto& [name, value] : variant.more_options) {
    if (name == "node-provider") {
      ++pins;
    } else {
      variant.name += format(" {}={}", name, value);
    }
  }
  if (pins > 0) variant.name += format(" with {} nodes on other providers", pins);
  auto entry = std::make_unique<Entry>();
  entry->runner = factory_->make(variant);
  entry->variant = std::move(variant);
  return entry;
}

void Tuner::compare_candidates(const std::vector<Entry*>& entries) {
  std::vector<BenchRunner*> runners;
  for (Entry* entry : entries) runners.push_back(entry->runner.get());
  BenchOptions options;
  static_cast<BenchTiming&>(options) = settings_;
  options.compute = message_options(invocation_);
  // What disturbs a contest disturbs all that take part.
  options.compute.on_warning = nullptr;
  options.compute.on_note = nullptr;
  options.step = "tuning";
  std::vector<BenchReport> reports = bench(runners, options);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i]->report = std::move(reports[i]);
    entries[i]->p50_ms = median_of(all_samples(entries[i]->report.times.blocks));
  }
}

Entry* Tuner::winner(Entry* standard, const std::vector<Entry*>& entries) const {
  Entry* best = standard;
  for (Entry* entry : entries) {
    const RatioEstimate estimate = compare_runners(entry->report.times, best->report.times);
    const bool is_faster = estimate.is_significant() && estimate.ratio < 1 - min_tune_gain;
    const bool is_smaller = entry->variant.threads < best->variant.threads &&
                            estimate.interval.high < 1 + min_tune_gain;
    if (is_faster || is_smaller) best = entry;
  }
  return best;
}

/// Medians over some runs by node name.
std::map<std::string, double> Tuner::node_times(Entry& entry) const {
  std::map<std::string, std::vector<double>> times;
  RunOptions options = entry.runner->run_options();
  for (std::size_t run = 0; run < profiled_runs; ++run) {
    Profile profile;
    options.profile = &profile;
    timed_run_ms(*entry.runner->session(), *entry.runner->inputs(), options);
    for (const ProfileEvent& event : profile.events) {
      if (event.depth > 0) continue;
      auto& of_node = times[std::string(event.node)];
      of_node.resize(run + 1);
      of_node[run] += 1e-6 * static_cast<double>(event.duration_ns);
    }
    invocation_.stop.poll();
  }
  std::map<std::string, double> medians;
  for (auto& [node, of_node] : times) medians[node] = median_of(std::move(of_node));
  return medians;
}

/// A pattern that matches only this name would need escapes, which globs lack: such
/// nodes keep their provider.
bool is_plain_name(const std::string& name) {
  return name.find_first_of("*?") == std::string::npos;
}

/// For every node that another provider computed faster than the preferred one: its name
/// and that provider's.
std::vector<std::string> Tuner::node_providers(const std::vector<Entry*>& rivals) const {
  struct Best {
    double ms;
    std::string provider;
  };
  std::map<std::string, Best> best;
  for (Entry* rival : rivals) {
    std::map<std::string, std::string> providers;
    for (const Placement& placement : rival->runner->session()->placement()) {
      providers.emplace(placement.node, placement.provider);
    }
    for (const auto& [node, ms] : node_times(*rival)) {
      const auto found = best.find(node);
      const bool is_first = found == best.end();
      if (!is_first && !(ms < found->second.ms * (1 - min_tune_gain))) continue;
      best.insert_or_assign(node, Best{ms, providers[node]});
    }
  }
  std::map<std::string, std::string> preferred;
  for (const Placement& placement : rivals.front()->runner->session()->placement()) {
    preferred.emplace(placement.node, placement.provider);
  }
  std::vector<std::string> pins;
  for (const auto& [node, choice] : best) {
    const auto standard = preferred.find(node);
    const bool is_moved = standard != preferred.end() && !choice.provider.empty() &&
                          standard->second != choice.provider;
    if (is_moved && is_plain_name(node)) pins.push_back(format("{}={}", node, choice.provider));
  }
  return pins;
}

TuneOutcome Tuner::run() {
  BenchVariant variant = list_variants(settings_).front();
  const std::vector<std::string> providers = provider_lists();
  std::vector<Entry*> all;
  for (const int threads : settings_.threads) {
    for (const std::string& provider : providers) {
      variant.provider = provider;
      variant.threads = threads;
      entries_.push_back(enter(variant));
      all.push_back(entries_.back().get());
    }
  }
  compare_candidates(all);
  // The defaults: all threads, and the default order of providers.
  Entry* standard = all[all.size() - providers.size()];
  Entry* best = winner(standard, all);

  BenchVariant parallel = best->variant;
  parallel.more_options.emplace_back("execution", "parallel");
  entries_.push_back(enter(parallel));
  std::vector<Entry*> last_round = {best, entries_.back().get()};
  if (providers.size() > 1) {
    std::vector<Entry*> rivals = {best};
    for (Entry* entry : all) {
      const bool is_rival = entry->variant.threads == best->variant.threads && entry != best;
      if (is_rival) rivals.push_back(entry);
    }
    const std::vector<std::string> pins = node_providers(rivals);
    if (!pins.empty()) {
      BenchVariant apart = rivals.front()->variant;
      // A provider that gets a node must be in the list, after the preferred ones.
      for (const std::string& provider : providers) {
        for (const std::string& name : split(provider, ',')) {
          const std::vector<std::string> there = split(apart.provider, ',');
          const bool is_there = apart.provider == "auto" ||
                                std::find(there.begin(), there.end(), name) != there.end();
          if (!is_there && name != "auto") apart.provider += "," + name;
        }
      }
      for (const std::string& pin : pins) apart.more_options.emplace_back("node-provider", pin);
      entries_.push_back(enter(apart));
      last_round.push_back(entries_.back().get());
    }
  }
  if (std::find(last_round.begin(), last_round.end(), standard) == last_round.end()) {
    last_round.push_back(standard);
  }
  compare_candidates(last_round);
  return outcome(last_round, *standard, *winner(standard, last_round));
}

TuneOutcome Tuner::outcome(const std::vector<Entry*>& last_round, const Entry& standard,
                           const Entry& best) {
  TuneOutcome outcome;
  Json tried = Json::list();
  for (const auto& entry : entries_) {
    tried.add(
        Json::object().set("settings", settings_of(entry->variant)).set("p50_ms", entry->p50_ms));
  }
  // The winner first, then the others.
  std::vector<const Entry*> order = {&best};
  for (const Entry* entry : last_round) {
    if (entry != &best) order.push_back(entry);
  }
  for (const Entry* entry : order) {
    VariantResult& result = outcome.results.emplace_back();
    static_cast<BenchReport&>(result) = entry->report;
    result.variant = entry->variant;
    result.facts = entry->runner->facts();
  }
  const RatioEstimate gain = compare_runners(standard.report.times, best.report.times);
  const std::string path = invocation_.options.text("tune");
  const Json settings = settings_of(best.variant);
  const Json config = Json::object().set("run", settings).set("bench", settings);
  write_file(path, config.write());
  outcome.block = Json::object()
                      .set("settings", settings)
                      .set("tried", std::move(tried))
                      .set("speedup", &best == &standard ? 1.0 : gain.ratio)
                      .set("file", path);
  if (&best == &standard) {
    outcome.text = format("nothing is measurably faster than the defaults; written to {}\n", path);
  } else {
    outcome.text =
        format("{} is {} times as fast as the defaults ({} to {}); written to {}\n",
               best.variant.name, fixed_number(gain.ratio, 2), fixed_number(gain.interval.low, 2),
               fixed_number(gain.interval.high, 2), path);
  }
  return outcome;
}

}  // namespace

TuneOutcome tune(Invocation& invocation, const BenchSettings& settings) {
  return Tuner(invocation, settings).run();
}

}  // namespace ortool
