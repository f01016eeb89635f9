// Counts nodes, weights, MACs and memory.
#include "libcore/inspect/summary.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/inspect/hash_graph.hpp"

namespace ortool {
namespace {

WeightFindings read_weights(const std::vector<Weight>& weights) {
  WeightFindings findings;
  std::vector<WeightStatistics> statistics;
  statistics.reserve(weights.size());
  Sha256 all;
  for (const Weight& weight : weights) {
    statistics.push_back(scan_weight(*weight.tensor));
    findings.total.add(statistics.back());
    const std::string line = format("{} {} {}\n", name_of(weight.type), weight.shape.to_string(),
                                    statistics.back().sha256);
    all.update(std::as_bytes(std::span(line.data(), line.size())));
  }
  findings.total.sha256 = all.finish();
  findings.duplicates = find_duplicates(weights, statistics);
  for (const DuplicateGroup& group : findings.duplicates) {
    findings.duplicate_bytes += group.wasted_bytes;
  }
  for (WeightStatistics& each : statistics) findings.sha256.push_back(std::move(each.sha256));
  return findings;
}

bool is_unknown(const ValueType& type) {
  if (type.kind == ValueType::Kind::unknown) return true;
  if (!type.is_tensor()) return false;
  return !type.shape || std::any_of(type.shape->begin(), type.shape->end(),
                                    [](const Dimension& size) { return size.is_unknown(); });
}

/// Whether an output shape is unknown although all input shapes are known.
bool blocks_shapes(const Node& node) {
  bool has_unknown = false;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* output = node.output(i);
    has_unknown = has_unknown || (output != nullptr && is_unknown(output->type()));
  }
  if (!has_unknown) return false;
  const auto is_known = [](const Value* value) {
    return value == nullptr || !is_unknown(value->type());
  };
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (!is_known(node.input(i))) return false;
  }
  for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
    if (!is_known(node.implicit_input(i))) return false;
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> Summary::denormal_weights() const {
  if (!weight_findings) return std::nullopt;
  return weight_findings->total.denormals;
}

std::optional<std::int64_t> Summary::duplicate_weight_bytes() const {
  if (!weight_findings) return std::nullopt;
  return weight_findings->duplicate_bytes;
}

Summary summarize(const Model& model, bool reads_weights) {
  Summary summary;
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) {
      ++summary.node_count;
      std::string op_type(node.domain());
      op_type.append(node.domain().empty() ? "" : ".").append(node.op_type());
      ++summary.op_histogram[op_type];
    }
  }
  for (const Node& node : model.graph->nodes()) {
    if (blocks_shapes(node)) summary.shape_blockers.push_back(&node);
  }
  summary.graph_sha256 = hash_graph(model);
  summary.macs = MacCounter(model).count(*model.graph);
  summary.weights = weights_of(model);
  for (const Weight& weight : summary.weights) {
    summary.parameter_count += weight.shape.element_count();
    summary.weight_bytes += weight.size_bytes();
  }
  summary.peak_activations = peak_activation_memory(model);
  if (reads_weights) summary.weight_findings = read_weights(summary.weights);
  return summary;
}

}  // namespace ortool
