// Recurrent weights: those of several layers are dequantized once.
#include "libcore/lower/dequantize_recurrent_weights.hpp"

#include <limits>
#include <map>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

/// The DequantizeLinear of constants that produces `value`, or null.
const Node* unpacking_node(const Value* value) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  if (node == nullptr || !node->domain().empty() || node->op_type() != "DequantizeLinear")
    return nullptr;
  for (std::int64_t i = 0; i < node->input_count(); ++i) {
    if (node->input(i) != nullptr && !node->input(i)->is_constant()) return nullptr;
  }
  return node;
}

}  // namespace

std::int64_t dequantize_recurrent_weights(Graph& graph, Evaluator& evaluator) {
  std::map<const Value*, Value*> made;
  for (Node& node : graph.nodes()) {
    if (!has_trait(node, OpTrait::recurrent)) continue;
    for (const std::int64_t input : {1, 2}) {
      Value* const codes = node.input(input);
      const Node* const producer = unpacking_node(codes);
      if (producer == nullptr) continue;
      auto found = made.find(codes);
      if (found == made.end()) {
        try {
          auto results = evaluator.evaluate(*producer, std::numeric_limits<std::int64_t>::max());
          if (!results) continue;
          Value& floats = graph.add_constant("", std::move(results->front()));
          found = made.emplace(codes, &floats).first;
        } catch (const Error& error) {
          // A node that always fails may be in code that never runs.
          if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
          continue;
        }
      }
      graph.set_input(node, input, found->second);
    }
  }
  return static_cast<std::int64_t>(made.size());
}

}  // namespace ortool
