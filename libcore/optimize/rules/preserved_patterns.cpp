// Preserved patterns: normalizations by mean, root and quotient; biased products of attentions that
// are masked as in BERT; masks.
#include "libcore/optimize/rules/preserved_patterns.hpp"

#include <algorithm>
#include <initializer_list>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

/// Exporters write normalizations decomposed in older opsets.
bool has_decomposed_normalizations(const Match& match) {
  return !match.has_own_operators && match.graph().opset("") < opset_of("LayerNormalization");
}

/// ONNX Runtime recognizes attentions in older opsets, by the axes of their mask's Unsqueezes.
bool has_known_attentions(const Match& match) {
  return !match.has_own_operators &&
         match.graph().opset("") < opset_without_attribute("Unsqueeze", "axes");
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

bool is_any_of(const Node& node, std::initializer_list<std::string_view> op_types) {
  return node.domain().empty() &&
         std::find(op_types.begin(), op_types.end(), node.op_type()) != op_types.end();
}

bool is_softmax(const Node* node) {
  return node != nullptr && is_any_of(*node, {"Softmax"});
}

/// What a search for the Softmax of an attention passes.
enum class Part {
  heads,   ///< queries, keys or values
  scores,  ///< products of queries and keys
};

/// The Softmax of the attention that reads `value`, which is that part of it; gives up after
/// `steps` nodes.
const Node* softmax_of(const Value& value, Part part, int& steps) {
  for (const Use& use : value.uses()) {
    if (use.kind != Use::Kind::input) continue;
    const Node& node = *use.node;
    if (part == Part::scores && is_softmax(&node)) return &node;
    if (part == Part::heads && is_any_of(node, {"MatMul"})) {
      const Node* other = node.input(use.index == 0 ? 1 : 0)->producer();
      if (is_softmax(other)) return other;
    }
    const bool is_product = part == Part::heads && is_any_of(node, {"MatMul"});
    const bool is_passed =
        is_any_of(node, {"Div", "Mul"}) ||
        (part == Part::heads ? traits_of(node).has(OpTrait::data_movement)
                             : is_any_of(node, {"Add"}));
    if (!(is_product || is_passed) || --steps < 0) continue;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) == nullptr) continue;
      const Node* found = softmax_of(*node.output(i), is_product ? Part::scores : part, steps);
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

/// The Softmax of the attention whose heads are joined in `rows`.
const Node* softmax_behind(const Value* rows) {
  const Node* reshape = producer_of(rows, "Reshape");
  const Node* transpose =
      reshape != nullptr ? producer_of(reshape->input(0), "Transpose") : nullptr;
  const Node* product = transpose != nullptr ? producer_of(transpose->input(0), "MatMul") : nullptr;
  return product != nullptr ? producer_of(product->input(0), "Softmax") : nullptr;
}

/// Whether it is (c - mask) * number, perhaps with a Cast.
bool is_bert_mask(const Value* value) {
  const Node* product = producer_of(value, "Mul");
  if (product == nullptr) return false;
  for (std::int64_t i = 0; i < 2; ++i) {
    const Node* cast = producer_of(product->input(i), "Cast");
    const Node* difference =
        producer_of(cast != nullptr ? cast->input(0) : product->input(i), "Sub");
    if (difference != nullptr && difference->input(0)->is_constant()) return true;
  }
  return false;
}

/// Whether the Softmax's only addend is a mask as in BERT.
bool is_masked_as_in_bert(const Node& softmax) {
  const Node* sum = producer_of(softmax.input(0), "Add");
  if (sum == nullptr) return false;
  for (std::int64_t i = 0; i < 2; ++i) {
    const Value* scores = sum->input(1 - i);
    if (is_bert_mask(sum->input(i)) && producer_of(scores, "Add") == nullptr) return true;
  }
  return false;
}

/// Whether `product` plus a bias, which is `sum`, projects the queries, keys, values or the result
/// of an attention that is masked as in BERT.
bool is_projection_of_attention(const Value& product, const Value& sum) {
  int steps = 32;
  const Node* projection = producer_of(&product, "MatMul");
  if (projection == nullptr || !projection->input(1)->is_constant()) return false;
  const Node* softmax = softmax_behind(projection->input(0));
  if (softmax == nullptr) softmax = softmax_of(sum, Part::heads, steps);
  return softmax != nullptr && is_masked_as_in_bert(*softmax);
}

}  // namespace

bool completes_known_pattern(const Match& match, const Value& x, const Value& weights) {
  if (!weights.is_constant() || rank_of(weights) != 1 || weights.constant().element_count() == 1)
    return false;
  return (has_decomposed_normalizations(match) && (is_normalized(&x) || is_scaled(&x))) ||
         (has_known_attentions(match) && is_projection_of_attention(x, match.result()));
}

bool is_known_mask(const Match& match, const Value& value) {
  if (!has_known_attentions(match)) return false;
  const Node* cast = only_consumer_as(value, "Cast");
  const Node* difference = only_consumer_as(cast != nullptr ? *cast->output(0) : value, "Sub");
  if (difference == nullptr || !difference->input(0)->is_constant()) return false;
  const Node* product = only_consumer_as(*difference->output(0), "Mul");
  return product != nullptr &&
         (product->input(0)->is_constant() || product->input(1)->is_constant());
}

}  // namespace ortool
