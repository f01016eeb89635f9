// QOperator form: runs the optimizer's on-request rules as a pipeline of their own.
#include "libcore/quantize/scheme/qoperator_format.hpp"

#include <string_view>
#include <vector>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"

namespace ortool {
namespace {

bool is_of(const Node& node, std::string_view op_type) {
  return node.domain().empty() && node.op_type() == op_type;
}

bool reads_codes(const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Node* producer = node.input(i) != nullptr ? node.input(i)->producer() : nullptr;
    if (producer != nullptr && is_of(*producer, "DequantizeLinear")) return true;
  }
  return false;
}

/// Whether the quantized value was computed from dequantized inputs, with or without Relu or Clip
/// between.
bool ends_cluster(const Node& end) {
  const Node* producer = end.input(0)->producer();
  if (producer != nullptr && (is_of(*producer, "Relu") || is_of(*producer, "Clip")) &&
      !reads_codes(*producer))
    producer = producer->input(0)->producer();
  return producer != nullptr && reads_codes(*producer);
}

}  // namespace

QOperatorSummary use_integer_operators(Model& model, const StopToken* stop) {
  std::vector<RuleGroup> groups = groups_on_request();
  groups.insert(groups.begin(),
                {"bytes", OptimizeLevel::basic, {remove_requantization(), move_bytes()}});
  RewriteOptions options;
  options.stop = stop;
  infer_shapes(model);
  static_cast<void>(optimize(model, std::move(groups), OptimizeLevel::extended, options));
  drop_unread_constants(model);
  infer_shapes(model);
  QOperatorSummary summary;
  for (const Graph* graph : graphs_in(*model.graph)) {
    for (const Node& node : graph->nodes()) {
      if (has_trait(node, OpTrait::integer_product))
        ++summary.operators[std::string(node.op_type())];
      if (is_of(node, "QuantizeLinear") && ends_cluster(node)) ++summary.clusters_left;
    }
  }
  return summary;
}

}  // namespace ortool
