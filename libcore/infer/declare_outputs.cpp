// Declarations of values: a value_info for each output of a registered operator.
#include "libcore/infer/declare_outputs.hpp"

#include <algorithm>
#include <vector>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/custom/registered_op.hpp"

namespace ortool {
namespace {

void declare_outputs(const Node& node, Graph& graph) {
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    Value* output = node.output(i);
    if (output == nullptr || output->is_graph_output() || !output->type().is_tensor()) continue;
    std::vector<DeclaredValue>& declared = graph.declared_values;
    const bool is_there =
        std::any_of(declared.begin(), declared.end(),
                    [output](const DeclaredValue& each) { return each.value == output; });
    if (!is_there) declared.push_back({output, nullptr});
  }
}

}  // namespace

void declare_registered_outputs(Model& model) {
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Node& node : graph->nodes()) {
      if (is_registered_op(node.domain(), node.op_type())) declare_outputs(node, *graph);
    }
  }
}

}  // namespace ortool
