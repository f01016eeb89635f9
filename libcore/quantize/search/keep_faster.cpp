// --keep-faster: single clusters first, to find candidates for float; the whole model decides.
#include "libcore/quantize/search/keep_faster.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "libcore/base/format.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/optimize/surgery/extract.hpp"
#include "libcore/quantize/scheme/qoperator_format.hpp"
#include "libcore/quantize/search/paired_times.hpp"

namespace ortool {
namespace {

constexpr double cluster_ms = 120;
constexpr double whole_ms = 900;
/// A gain smaller than this may be noise.
constexpr double min_kept_gain = 0.98;
/// A cluster with a larger gain is unlikely to have a part that loses.
constexpr double great_gain = 0.7;
/// The maximum depth of bisection, and the maximum number of parts measured.
constexpr int max_splits = 5;
constexpr int max_kept_parts = 64;
/// The maximum number of bisections of clusters that cannot be extracted.
constexpr int max_trials = 6;

using KeptValues = std::map<std::string, RunValue, std::less<>>;

/// Keeps the requested values of a run.
class ValueRecorder : public ValueObserver {
 public:
  explicit ValueRecorder(std::set<std::string, std::less<>> wanted) : wanted_(std::move(wanted)) {}

  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    const Value* output = node.output(index);
    if (output != nullptr && wanted_.contains(output->name()))
      kept.insert_or_assign(std::string(output->name()), value.owned());
  }

  KeptValues kept;

 private:
  std::set<std::string, std::less<>> wanted_;
};

/// The time of the faster form.
double best_ms(const ClusterTimes& times) {
  return std::min(times.int8_ms, times.float_ms);
}

double best_ms(const std::vector<ClusterTimes>& parts) {
  double sum = 0;
  for (const ClusterTimes& part : parts) sum += best_ms(part);
  return sum;
}

class FasterClusterSearch {
 public:
  FasterClusterSearch(const CandidateBuilder& builder, const Session& floats,
                      const NamedValues& sample, PlanChoices& choices, Candidate& candidate)
      : builder_(builder),
        context_(builder.context()),
        floats_(floats),
        sample_(sample),
        choices_(choices),
        candidate_(candidate) {}

  FasterClusters run();

 private:
  std::unique_ptr<Session> fast_session(const Model& model) const;
  void measure_all(std::vector<ClusterTimes>& clusters);
  void measure(ClusterTimes& times, const ClusterEdges& edges, const KeptValues& values);
  std::vector<ClusterTimes> split(const ClusterTimes& times, int splits);
  void leave(ClusterTimes& cluster, std::string reason);
  void measure_clusters();
  void try_unmeasured(const std::vector<ClusterTimes*>& clusters, Progress& progress);
  std::vector<ClusterTimes*> slowest_clusters();
  std::int64_t max_rounds() const;
  void prefer_all(const PlanChoices& all);
  void measure_whole();

  const CandidateBuilder& builder_;
  const QuantizeContext& context_;
  const Session& floats_;
  const NamedValues& sample_;
  PlanChoices& choices_;
  Candidate& candidate_;
  FasterClusters result_;
  int parts_ = 0;
  int trials_ = 0;
};

/// A session on the form that is written.
std::unique_ptr<Session> FasterClusterSearch::fast_session(const Model& model) const {
  if (!context_.settings.has_integer_operators) return builder_.session(model, OptimizeLevel::all);
  const std::unique_ptr<Model> written = copy_model(model);
  static_cast<void>(use_integer_operators(*written, &context_.task.stop));
  return builder_.session(*written, OptimizeLevel::all);
}

void FasterClusterSearch::measure(ClusterTimes& times, const ClusterEdges& edges,
                                  const KeptValues& values) {
  NamedValues inputs;
  for (const std::string& name : edges.inputs) {
    const auto found = values.find(name);
    if (found == values.end()) return;
    inputs.emplace_back(name, found->second);
  }
  try {
    const auto part = extract(copy_model(builder_.prepared()), edges.inputs, edges.outputs);
    const Candidate quantized = builder_.make_of(*part, choices_);
    const auto as_float = builder_.session(*part, OptimizeLevel::all);
    const auto as_int8 = fast_session(*quantized.model);
    const PairedTimes pair = time_in_pairs(*as_int8, *as_float, inputs, context_, cluster_ms);
    times.int8_ms = pair.first_ms;
    times.float_ms = pair.second_ms;
    times.ratio = pair.ratio.ratio;
    times.is_measured = true;
  } catch (const Error& error) {
    // Clusters that cannot run standalone are judged within the whole model.
    if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
  }
}

/// Measures all clusters with a single run of the sample.
void FasterClusterSearch::measure_all(std::vector<ClusterTimes>& clusters) {
  std::vector<std::optional<ClusterEdges>> edges;
  std::set<std::string, std::less<>> wanted;
  for (const ClusterTimes& each : clusters) {
    edges.push_back(edges_of(each.cluster, builder_.prepared()));
    if (edges.back()) wanted.insert(edges.back()->inputs.begin(), edges.back()->inputs.end());
  }
  ValueRecorder keeper(std::move(wanted));
  RunOptions options;
  options.threads = context_.machine.threads;
  options.stop = &context_.task.stop;
  options.observer = &keeper;
  floats_.run(sample_, options);
  for (const auto& [name, value] : sample_) keeper.kept.insert_or_assign(name, value);
  Progress progress(context_.task, "measuring");
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(clusters.size()));
    if (edges[i] && !edges[i]->outputs.empty()) measure(clusters[i], *edges[i], keeper.kept);
  }
}

/// The cluster, or its parts if these are faster together.
std::vector<ClusterTimes> FasterClusterSearch::split(const ClusterTimes& times, int splits) {
  const bool is_possible = times.is_measured && times.ratio > great_gain &&
                           times.cluster.units.size() > 1 && splits < max_splits &&
                           parts_ < max_kept_parts;
  if (!is_possible) return {times};
  std::vector<ClusterTimes> halves(2);
  std::tie(halves[0].cluster, halves[1].cluster) = halves_of(times.cluster);
  parts_ += 2;
  measure_all(halves);
  if (!halves[0].is_measured || !halves[1].is_measured) return {times};
  std::vector<ClusterTimes> parts;
  for (const ClusterTimes& half : halves) {
    const std::vector<ClusterTimes> found = split(half, splits + 1);
    parts.insert(parts.end(), found.begin(), found.end());
  }
  const bool has_gain = std::any_of(parts.begin(), parts.end(), [](const ClusterTimes& part) {
    return part.ratio <= min_kept_gain;
  });
  return has_gain && best_ms(parts) < min_kept_gain * best_ms(times)
             ? parts
             : std::vector<ClusterTimes>{times};
}

void FasterClusterSearch::leave(ClusterTimes& cluster, std::string reason) {
  cluster.is_kept = false;
  for (const std::string& node : cluster.cluster.nodes()) leave_float(choices_, node, reason);
}

void FasterClusterSearch::measure_clusters() {
  std::vector<ClusterTimes> clusters;
  for (QuantizedCluster& cluster : clusters_of(candidate_.plan)) {
    clusters.emplace_back();
    clusters.back().cluster = std::move(cluster);
  }
  measure_all(clusters);
  for (const ClusterTimes& cluster : clusters) {
    const std::vector<ClusterTimes> parts = split(cluster, 0);
    result_.clusters.insert(result_.clusters.end(), parts.begin(), parts.end());
  }
  for (ClusterTimes& cluster : result_.clusters) {
    if (!cluster.is_measured || cluster.ratio <= min_kept_gain) continue;
    leave(cluster, format("int8 is not faster here: {} ms, {} ms in float",
                          fixed_number(cluster.int8_ms, 3), fixed_number(cluster.float_ms, 3)));
  }
}

/// Judges clusters that cannot be extracted by timing the whole model with and without them,
/// bisecting those that do not make it faster.
void FasterClusterSearch::try_unmeasured(const std::vector<ClusterTimes*>& clusters,
                                         Progress& progress) {
  if (clusters.empty()) return;
  progress.expect(1);
  PlanChoices without = choices_;
  for (const ClusterTimes* each : clusters) {
    for (const std::string& node : each->cluster.nodes()) leave_float(without, node, "a trial");
  }
  const auto as_int8 = fast_session(*builder_.make(choices_).model);
  const auto as_float = fast_session(*builder_.make(without).model);
  const PairedTimes times = time_in_pairs(*as_int8, *as_float, sample_, context_, whole_ms);
  progress.finish();
  if (times.ratio.ratio <= min_kept_gain) return;
  const auto middle = clusters.begin() + static_cast<std::ptrdiff_t>(clusters.size() / 2);
  if (clusters.size() > 1 && ++trials_ <= max_trials) {
    try_unmeasured({clusters.begin(), middle}, progress);
    try_unmeasured({middle, clusters.end()}, progress);
    return;
  }
  for (ClusterTimes* each : clusters) {
    leave(*each, format("the whole model is not faster with it: {} ms, {} ms without",
                        fixed_number(times.first_ms, 3), fixed_number(times.second_ms, 3)));
  }
}

/// The slowest quarter of the quantized clusters.
std::vector<ClusterTimes*> FasterClusterSearch::slowest_clusters() {
  std::vector<ClusterTimes*> kept;
  for (ClusterTimes& cluster : result_.clusters) {
    if (cluster.is_kept) kept.push_back(&cluster);
  }
  std::stable_sort(kept.begin(), kept.end(), [](const ClusterTimes* a, const ClusterTimes* b) {
    return a->ratio > b->ratio;
  });
  kept.resize((kept.size() + 3) / 4);
  return kept;
}

/// How often the slowest quarter can be left in float, and once more with none left.
std::int64_t FasterClusterSearch::max_rounds() const {
  std::int64_t rounds = 1;
  auto kept = std::count_if(result_.clusters.begin(), result_.clusters.end(),
                            [](const ClusterTimes& cluster) { return cluster.is_kept; });
  for (; kept > 0; kept -= (kept + 3) / 4) ++rounds;
  return rounds;
}

/// Clusters in float may cost more at the boundaries than they save.
void FasterClusterSearch::prefer_all(const PlanChoices& all) {
  const bool has_left = std::any_of(result_.clusters.begin(), result_.clusters.end(),
                                    [](const ClusterTimes& cluster) { return !cluster.is_kept; });
  if (!has_left) return;
  const auto with_all = fast_session(*builder_.make(all).model);
  const auto as_kept = fast_session(*builder_.make(choices_).model);
  const PairedTimes times = time_in_pairs(*with_all, *as_kept, sample_, context_, whole_ms);
  if (times.ratio.ratio > min_kept_gain) return;
  choices_ = all;
  for (ClusterTimes& cluster : result_.clusters) cluster.is_kept = true;
}

void FasterClusterSearch::measure_whole() {
  Progress progress(context_.task, "measuring the whole model");
  const auto as_float = builder_.session(builder_.prepared(), OptimizeLevel::all);
  progress.expect(max_rounds());
  for (;; progress.finish()) {
    candidate_ = builder_.make(choices_);
    const auto as_int8 = fast_session(*candidate_.model);
    const PairedTimes times = time_in_pairs(*as_int8, *as_float, sample_, context_, whole_ms);
    result_.int8_ms = times.first_ms;
    result_.float_ms = times.second_ms;
    if (times.ratio.ratio <= min_kept_gain) return;
    const std::vector<ClusterTimes*> slowest = slowest_clusters();
    if (slowest.empty()) {
      // Only the unpacking of compressed weights in each run is left to cost time: without it, this
      // is the float model.
      choices_.stores_rest = result_.stores_rest = false;
      candidate_ = builder_.make(choices_);
      result_.int8_ms = result_.float_ms;
      return;
    }
    for (ClusterTimes* each : slowest) {
      leave(*each, format("the whole model is not faster with it: {} ms, {} ms in float",
                          fixed_number(times.first_ms, 3), fixed_number(times.second_ms, 3)));
    }
  }
}

FasterClusters FasterClusterSearch::run() {
  const PlanChoices all = choices_;
  measure_clusters();
  std::vector<ClusterTimes*> unmeasured;
  for (ClusterTimes& cluster : result_.clusters) {
    if (!cluster.is_measured) unmeasured.push_back(&cluster);
  }
  {
    Progress progress(context_.task, "measuring clusters together");
    try_unmeasured(unmeasured, progress);
  }
  prefer_all(all);
  measure_whole();
  return std::move(result_);
}

}  // namespace

FasterClusters keep_faster(const CandidateBuilder& builder, const Session& floats,
                           const NamedValues& sample, PlanChoices& choices, Candidate& candidate) {
  return FasterClusterSearch(builder, floats, sample, choices, candidate).run();
}

}  // namespace ortool
