// Collects constants and the tensors of Constant nodes.
#include "libcore/inspect/weights.hpp"

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

bool is_stored(const Value& value) {
  return !value.constant().is_empty();
}

std::int64_t Weight::size_bytes() const {
  return tensor->size_bytes();
}

std::vector<Weight> weights_of(const Model& model) {
  std::vector<Weight> weights;
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : graph->values()) {
      if (!is_stored(*value)) continue;
      const Tensor& tensor = value->constant();
      weights.push_back(
          {value->name(), tensor.type(), tensor.shape(), &tensor, value->is_external});
    }
    for (const Node& node : graph->nodes()) {
      if (node.op_type() != "Constant" || node.output(0) == nullptr) continue;
      const Attribute* attribute = node.find_attribute("value");
      const auto* tensor = attribute != nullptr ? std::get_if<Tensor>(&attribute->value) : nullptr;
      if (tensor == nullptr) continue;
      weights.push_back({node.output(0)->name(), tensor->type(), tensor->shape(), tensor, false});
    }
  }
  return weights;
}

}  // namespace ortool
