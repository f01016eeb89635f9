// Preserved patterns: normalizations by mean, root and quotient; biased products; masks.
#include "libcore/optimize/rules/preserved_patterns.hpp"

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

/// From this opset on exporters write transformers differently.
std::int64_t opset_of_other_patterns() {
  return opset_of("LayerNormalization");
}

const Node* producer_of(const Value* value, std::string_view op_type) {
  const Node* producer = value != nullptr ? value->producer() : nullptr;
  return producer != nullptr && producer->domain().empty() && producer->op_type() == op_type
             ? producer
             : nullptr;
}

/// The sole consumer of the value, if it is of this operator.
const Node* only_consumer_as(const Value& value, std::string_view op_type) {
  const Node* consumer = only_consumer(value);
  return consumer != nullptr && consumer->domain().empty() && consumer->op_type() == op_type
             ? consumer
             : nullptr;
}

/// x / sqrt(y)
bool is_normalized(const Value* value) {
  const Node* quotient = producer_of(value, "Div");
  return quotient != nullptr && producer_of(quotient->input(1), "Sqrt") != nullptr;
}

bool is_scaled(const Value* value) {
  const Node* product = producer_of(value, "Mul");
  return product != nullptr &&
         (is_normalized(product->input(0)) || is_normalized(product->input(1)));
}

bool is_product_by_weights(const Value* value) {
  const Node* product = producer_of(value, "MatMul");
  return product != nullptr && product->input(1)->is_constant();
}

}  // namespace

bool completes_known_pattern(const Match& match, const Value& x, const Value& weights) {
  if (match.has_own_operators || !weights.is_constant() || rank_of(weights) != 1 ||
      weights.constant().element_count() == 1)
    return false;
  return match.graph().opset("") < opset_of_other_patterns() &&
         (is_normalized(&x) || is_scaled(&x) || is_product_by_weights(&x));
}

bool is_known_mask(const Match& match, const Value& value) {
  if (match.has_own_operators || match.graph().opset("") >= opset_of_other_patterns()) return false;
  const Node* cast = only_consumer_as(value, "Cast");
  const Node* difference = only_consumer_as(cast != nullptr ? *cast->output(0) : value, "Sub");
  if (difference == nullptr || !difference->input(0)->is_constant()) return false;
  const Node* product = only_consumer_as(*difference->output(0), "Mul");
  return product != nullptr &&
         (product->input(0)->is_constant() || product->input(1)->is_constant());
}

}  // namespace ortool
