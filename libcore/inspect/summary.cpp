// Counting nodes, weights, work and memory.
#include "libcore/inspect/summary.hpp"

#include "libcore/graph/traverse.hpp"
#include "libcore/inspect/activation_memory.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/inspect/weight_statistics.hpp"
#include "libcore/inspect/weights.hpp"

namespace ortool {

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
  summary.macs = MacCounter(model).count(*model.graph);
  const std::vector<Weight> weights = weights_of(model);
  for (const Weight& weight : weights) {
    summary.parameter_count += weight.shape.element_count();
    summary.weight_bytes += weight.size_bytes();
  }
  summary.peak_activation_bytes = peak_activation_bytes(*model.graph);
  if (!reads_weights) return summary;
  std::int64_t denormals = 0;
  for (const Weight& weight : weights) {
    denormals += count_denormals(*weight.tensor);
  }
  summary.denormal_weights = denormals;
  summary.duplicate_weight_bytes = count_duplicate_bytes(weights);
  return summary;
}

}  // namespace ortool
