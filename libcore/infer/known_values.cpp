// Clears the types of node outputs first, so that declarations in the file are not taken as facts.
#include "libcore/infer/known_values.hpp"

#include <utility>
#include <vector>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/inference.hpp"
#include "libcore/infer/merge_types.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

/// Whether a shape rule determines the value.
bool is_ruled(const Value& value) {
  const Node* node = value.producer();
  const OpEntry* entry = node != nullptr ? find_op(node->domain(), node->op_type()) : nullptr;
  return entry != nullptr && version_of(*entry, *node) != nullptr;
}

}  // namespace

KnownValues infer_known_values(Model& model) {
  std::vector<std::pair<Value*, ValueType>> declared;
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Value* value : graph->values()) {
      if (!is_ruled(*value) || value->type().kind == ValueType::Kind::unknown) continue;
      declared.emplace_back(value, value->type());
      value->set_type({});
    }
  }
  Inference inference(model);
  inference.infer_graph(*model.graph);
  for (auto& [value, type] : declared) {
    MergedType merged = merge_types(value->name(), type, value->type());
    if (!merged.contradicts) value->set_type(std::move(merged.type));
  }
  return inference.take_elements();
}

}  // namespace ortool
