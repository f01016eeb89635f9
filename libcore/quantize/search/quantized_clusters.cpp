// Quantized clusters are found by union-find over the units.
#include "libcore/quantize/search/quantized_clusters.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

/// Union-find (disjoint sets).
class Forest {
 public:
  explicit Forest(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t item) {
    while (parents_[item] != item) item = parents_[item] = parents_[parents_[item]];
    return item;
  }
  void join(std::size_t a, std::size_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parents_;
};

}  // namespace

std::vector<std::string> QuantizedCluster::nodes() const {
  std::vector<std::string> all;
  for (const ClusterUnit& unit : units) all.insert(all.end(), unit.nodes.begin(), unit.nodes.end());
  return all;
}

std::vector<QuantizedCluster> clusters_of(const MadePlan& plan) {
  std::set<std::string_view> quantized;
  for (const ChosenValue& value : plan.chosen) quantized.insert(value.name);
  Forest forest(plan.nodes.size());
  std::map<std::string_view, std::size_t> producers;
  std::map<std::string_view, std::size_t> consumers;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const ReportedNode& node = plan.nodes[i];
    if (!node.is_quantized) continue;
    for (const std::string& value : node.reads) {
      const auto producer = producers.find(value);
      if (producer != producers.end() && quantized.contains(value))
        forest.join(i, producer->second);
      if (!quantized.empty()) continue;
      const auto [consumer, is_first] = consumers.emplace(value, i);
      if (!is_first) forest.join(i, consumer->second);
    }
    // A fused follower has the same value as its node.
    const auto [place, is_first] = producers.emplace(node.value, i);
    if (!is_first) forest.join(i, place->second);
  }
  std::map<std::size_t, QuantizedCluster> clusters;
  std::map<std::string_view, std::size_t> unit_of;  // index within the cluster
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const ReportedNode& node = plan.nodes[i];
    if (!node.is_quantized) continue;
    std::vector<ClusterUnit>& units = clusters[forest.root(i)].units;
    const auto [unit, is_first] = unit_of.emplace(node.value, units.size());
    if (is_first) units.push_back({node.name, {}});
    units[unit->second].nodes.push_back(node.plan_name);
  }
  std::vector<QuantizedCluster> list;
  for (auto& [number, cluster] : clusters) list.push_back(std::move(cluster));
  return list;
}

std::pair<QuantizedCluster, QuantizedCluster> halves_of(const QuantizedCluster& cluster) {
  const auto middle = cluster.units.begin() + static_cast<std::ptrdiff_t>(cluster.units.size() / 2);
  return {{{cluster.units.begin(), middle}}, {{middle, cluster.units.end()}}};
}

std::optional<ClusterEdges> edges_of(const QuantizedCluster& cluster, const Model& prepared) {
  const std::vector<std::string> nodes = cluster.nodes();
  const std::set<std::string_view> wanted(nodes.begin(), nodes.end());
  const auto names = names_apart(prepared);
  std::set<const Node*> members;
  for (const Node& node : prepared.graph->nodes()) {
    if (wanted.contains(names.at(&node))) members.insert(&node);
  }
  if (members.size() != nodes.size()) return std::nullopt;
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
  return ClusterEdges{{inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}};
}

}  // namespace ortool
