// Plan report: describes the nodes of a plan by the names of the file.
#include "libcore/quantize/report/made_plan.hpp"

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

/// The fused Add that adds the bias of a matrix product; null when there is none.
const Node* adder_of(const PlannedNode& planned) {
  const bool can_have = planned.node->op_type() == "MatMul" && planned.end != planned.node;
  const Node* next = can_have ? only_consumer(*planned.node->output(0)) : nullptr;
  return next != nullptr && next->op_type() == "Add" ? next : nullptr;
}

}  // namespace

std::vector<ReportedNode> describe_plan(const QuantizePlan& plan,
                                        const std::unordered_map<const Node*, std::string>& names) {
  std::vector<ReportedNode> nodes;
  for (const PlannedNode& planned : plan.nodes) {
    const Node& node = *planned.node;
    const Value* result = planned.end->output(0);
    ReportedNode told;
    told.name = std::string(node.name());
    told.plan_name = names.at(&node);
    told.op_type = std::string(node.op_type());
    told.origins = origins_of(node);
    if (result != nullptr) told.value = std::string(result->name());
    const Node* adder = adder_of(planned);
    const Value* output = adder != nullptr ? adder->output(0) : node.output(0);
    if (output != nullptr) told.output = std::string(output->name());
    told.is_quantized = planned.is_quantized;
    told.has_weights = planned.weight_input >= 0;
    told.has_bias = adder != nullptr || (node.op_type() != "MatMul" && node.input_count() > 2 &&
                                         node.input(2) != nullptr);
    told.reason = planned.reason;
    told.role = planned.role;
    told.is_per_channel = planned.weight_axis.has_value();
    told.weight_type = planned.weight_type;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      Value* input = node.input(i);
      if (is_float_tensor(input) && constant_behind(input) == nullptr)
        told.reads.emplace_back(source_name(*input));
    }
    nodes.push_back(std::move(told));
  }
  return nodes;
}

}  // namespace ortool
