// Parts first, since they tell which to leave out; the whole decides.
#include "apps/ortool/quantize/keep_faster.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "apps/ortool/quantize/form_times.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/copy_model.hpp"
#include "libcore/optimize/extract.hpp"

namespace ortool {
namespace {

constexpr double cluster_ms = 120;
constexpr double whole_ms = 900;
/// What is not at least so much faster may be noise.
constexpr double least_gain = 0.98;

/// Keeps values of the names wanted.
class Keeper : public ValueObserver {
 public:
  explicit Keeper(std::set<std::string, std::less<>> wanted) : wanted_(std::move(wanted)) {}

  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    const Value* output = node.output(index);
    if (output != nullptr && wanted_.contains(output->name()))
      kept.insert_or_assign(std::string(output->name()), value.owned());
  }

  std::map<std::string, RunValue, std::less<>> kept;

 private:
  std::set<std::string, std::less<>> wanted_;
};

/// Quantised nodes joined by the quantised values between them.
std::vector<ClusterTimes> clusters_of(const MadePlan& plan) {
  std::set<std::string_view> levels;
  for (const ChosenValue& value : plan.chosen) levels.insert(value.name);
  std::vector<std::size_t> parents(plan.nodes.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  const auto root = [&](std::size_t node) {
    while (parents[node] != node) node = parents[node] = parents[parents[node]];
    return node;
  };
  std::map<std::string_view, std::size_t> makers;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const ReportedNode& node = plan.nodes[i];
    if (!node.is_quantized) continue;
    for (const std::string& value : node.reads) {
      const auto maker = makers.find(value);
      if (maker != makers.end() && levels.contains(value)) parents[root(i)] = root(maker->second);
    }
    // What follows a node and is computed with it has the same value.
    const auto [place, is_first] = makers.emplace(node.value, i);
    if (!is_first) parents[root(i)] = root(place->second);
  }
  std::map<std::size_t, ClusterTimes> clusters;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const ReportedNode& node = plan.nodes[i];
    if (!node.is_quantized) continue;
    ClusterTimes& cluster = clusters[root(i)];
    if (cluster.nodes.empty()) cluster.first = node.name;
    cluster.nodes.push_back(node.plan_name);
  }
  std::vector<ClusterTimes> list;
  for (auto& [number, cluster] : clusters) list.push_back(std::move(cluster));
  return list;
}

/// What a cluster reads and what others read of it; empty where it lies in a body.
struct Edges {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

class FasterKeeper {
 public:
  FasterKeeper(const CandidateMaker& maker, const Session& floats, const NamedValues& sample,
               PlanChoices& choices, Candidate& candidate)
      : maker_(maker),
        context_(maker.context()),
        floats_(floats),
        sample_(sample),
        choices_(choices),
        candidate_(candidate) {}

  KeptFaster run();

 private:
  Edges edges_of(const ClusterTimes& cluster) const;
  void measure_clusters();
  void measure(ClusterTimes& cluster, const Edges& edges,
               const std::map<std::string, RunValue, std::less<>>& values);
  void leave(ClusterTimes& cluster, std::string reason);
  void measure_whole();

  const CandidateMaker& maker_;
  const QuantizeContext& context_;
  const Session& floats_;
  const NamedValues& sample_;
  PlanChoices& choices_;
  Candidate& candidate_;
  KeptFaster result_;
};

Edges FasterKeeper::edges_of(const ClusterTimes& cluster) const {
  const Graph& graph = *maker_.prepared().graph;
  const auto names = names_apart(maker_.prepared());
  std::set<const Node*> members;
  for (const Node& node : graph.nodes()) {
    const bool is_member = std::find(cluster.nodes.begin(), cluster.nodes.end(), names.at(&node)) !=
                           cluster.nodes.end();
    if (is_member) members.insert(&node);
  }
  Edges edges;
  if (members.size() != cluster.nodes.size()) return edges;
  std::set<std::string> inputs;
  std::set<std::string> outputs;
  for (const Node* node : members) {
    for (std::int64_t i = 0; i < node->input_count(); ++i) {
      const Value* input = node->input(i);
      if (input == nullptr || input->is_constant() || members.contains(input->producer())) continue;
      inputs.emplace(input->name());
    }
    for (std::int64_t i = 0; i < node->output_count(); ++i) {
      const Value* output = node->output(i);
      if (output == nullptr) continue;
      const bool is_read =
          std::any_of(output->uses().begin(), output->uses().end(), [&](const Use& use) {
            return use.kind != Use::Kind::input || !members.contains(use.node);
          });
      if (is_read) outputs.emplace(output->name());
    }
  }
  edges.inputs.assign(inputs.begin(), inputs.end());
  edges.outputs.assign(outputs.begin(), outputs.end());
  return edges;
}

void FasterKeeper::measure(ClusterTimes& cluster, const Edges& edges,
                           const std::map<std::string, RunValue, std::less<>>& values) {
  NamedValues inputs;
  for (const std::string& name : edges.inputs) {
    const auto found = values.find(name);
    if (found == values.end()) return;
    inputs.emplace_back(name, found->second);
  }
  try {
    const auto part = extract(copy_model(maker_.prepared()), edges.inputs, edges.outputs);
    const Candidate quantized = maker_.make_of(*part, choices_);
    const auto as_float = maker_.session(*part, OptimizeLevel::all);
    const auto as_int8 = maker_.session(*quantized.model, OptimizeLevel::all);
    const FormTimes times = time_forms(*as_int8, *as_float, inputs, context_, cluster_ms);
    cluster.int8_ms = times.first_ms;
    cluster.float_ms = times.second_ms;
    cluster.ratio = times.ratio.ratio;
    cluster.is_measured = true;
  } catch (const Error& error) {
    // What cannot stand alone is judged with the whole.
    if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
  }
}

void FasterKeeper::leave(ClusterTimes& cluster, std::string reason) {
  cluster.is_kept = false;
  for (const std::string& node : cluster.nodes) leave_float(choices_, node, reason);
}

void FasterKeeper::measure_clusters() {
  std::vector<Edges> edges;
  std::set<std::string, std::less<>> wanted;
  for (const ClusterTimes& cluster : result_.clusters) {
    edges.push_back(edges_of(cluster));
    wanted.insert(edges.back().inputs.begin(), edges.back().inputs.end());
  }
  Keeper keeper(std::move(wanted));
  RunOptions options;
  options.threads = context_.machine.threads;
  options.stop = &context_.invocation.stop;
  options.observer = &keeper;
  floats_.run(sample_, options);
  for (const auto& [name, value] : sample_) keeper.kept.insert_or_assign(name, value);
  Progress progress(context_.invocation.options, context_.invocation.messages, "measuring");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(edges.size()));
    if (!edges[i].outputs.empty()) measure(result_.clusters[i], edges[i], keeper.kept);
  }
  for (ClusterTimes& cluster : result_.clusters) {
    if (!cluster.is_measured || cluster.ratio <= least_gain) continue;
    leave(cluster, format("int8 is not faster here: {} ms against {} ms in float",
                          fixed_number(cluster.int8_ms, 3), fixed_number(cluster.float_ms, 3)));
  }
}

void FasterKeeper::measure_whole() {
  const Progress progress(context_.invocation.options, context_.invocation.messages, "measuring");
  const auto as_float = maker_.session(maker_.prepared(), OptimizeLevel::all);
  for (;;) {
    candidate_ = maker_.make(choices_);
    const auto as_int8 = maker_.session(*candidate_.model, OptimizeLevel::all);
    const FormTimes times = time_forms(*as_int8, *as_float, sample_, context_, whole_ms);
    result_.int8_ms = times.first_ms;
    result_.float_ms = times.second_ms;
    if (times.ratio.ratio <= least_gain) return;
    ClusterTimes* slowest = nullptr;
    for (ClusterTimes& cluster : result_.clusters) {
      if (cluster.is_kept && (slowest == nullptr || cluster.ratio > slowest->ratio))
        slowest = &cluster;
    }
    if (slowest == nullptr) {
      // Stored weights that have to be unpacked in each run are all that is left to cost time:
      // without them it is the float model.
      choices_.stores_rest = result_.stores_rest = false;
      candidate_ = maker_.make(choices_);
      result_.int8_ms = result_.float_ms;
      return;
    }
    leave(*slowest, format("the whole model is not faster with it: {} ms against {} ms in float",
                           fixed_number(times.first_ms, 3), fixed_number(times.second_ms, 3)));
  }
}

KeptFaster FasterKeeper::run() {
  result_.clusters = clusters_of(candidate_.plan);
  measure_clusters();
  measure_whole();
  return std::move(result_);
}

}  // namespace

KeptFaster keep_faster(const CandidateMaker& maker, const Session& floats,
                       const NamedValues& sample, PlanChoices& choices, Candidate& candidate) {
  return FasterKeeper(maker, floats, sample, choices, candidate).run();
}

}  // namespace ortool
