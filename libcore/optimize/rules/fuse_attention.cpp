// Attention fusion: scaled dot-product attention of MatMul, Softmax and data movement.
#include <cstdint>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/attention_patterns.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Order = std::vector<std::int64_t>;

/// A multiplication or division by a scalar, or neither.
Pattern maybe_scaled(const Pattern& x) {
  return any_of({op("Div", {x, scalar("divisor")}), op("Mul", {x, scalar("factor")}), x});
}

float scale_of(const Match& match) {
  if (match.find("divisor") != nullptr) return static_cast<float>(1 / match.number("divisor"));
  return match.find("factor") != nullptr ? static_cast<float>(match.number("factor")) : 1.0F;
}

/// The permutation that yields the keys from the Transpose's input.
Order keys_order(Order transpose) {
  std::swap(transpose[transpose.size() - 2], transpose.back());
  return transpose;
}

bool keeps_order(const Order& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

/// Before opset 13 Softmax flattened all axes from its axis on.
bool is_over_last_axis(const Node& softmax, std::size_t rank) {
  const std::int64_t axis = read_op<Softmax>(softmax).axis;
  return axis == -1 || axis + 1 == static_cast<std::int64_t>(rank);
}

Verdict check_mask(const Value& mask, const Value& product, DataType element) {
  const Dimensions* dimensions = dimensions_of(mask);
  const Dimensions* scores = dimensions_of(product);
  if (element_of(mask) != element) return no("the mask is of another type");
  if (dimensions == nullptr || scores == nullptr || dimensions->empty())
    return no("the shape of the mask is unknown");
  if (!are_equal(dimensions->back(), scores->back()))
    return no("the mask's number of columns is not the number of keys");
  if (!broadcasts_into(*dimensions, *scores))
    return no("the mask is not known to broadcast to the scores");
  return yes();
}

/// Checks a Where that replaces scores, by the shape of its condition.
Verdict check_condition(const Match& match) {
  const Dimensions* dimensions = dimensions_of(match["condition"]);
  const Dimensions* scores = dimensions_of(match["product"]);
  if (dimensions == nullptr || scores == nullptr || dimensions->empty() ||
      !are_equal(dimensions->back(), scores->back()) || !broadcasts_into(*dimensions, *scores))
    return no("the condition is not known to broadcast to the scores");
  return match.number("hidden") <= -1e4 ? yes()
                                        : no("the values selected by the condition are not a mask");
}

Verdict can_fuse(const Match& match) {
  const Value& q = match["q"];
  const Value& v = match["v"];
  const DataType element = element_of(q);
  if (element != DataType::float32 && element != DataType::float16 && element != DataType::bfloat16)
    return no("its type is not a float");
  if (element_of(match["k"]) != element || element_of(v) != element)
    return no("queries, keys and values have different types");
  const Dimensions* queries = dimensions_of(q);
  const Dimensions* keys = dimensions_of(match["transposed"]);
  const Dimensions* values = dimensions_of(v);
  const std::size_t rank = queries != nullptr ? queries->size() : 0;
  if ((rank != 3 && rank != heads_rank) || keys == nullptr || values == nullptr ||
      keys->size() != rank || values->size() != rank)
    return no("queries, keys and values do not all have rank 4 or all rank 3");
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    if (!are_equal((*queries)[i], (*keys)[i]) || !are_equal((*queries)[i], (*values)[i]))
      return no("queries, keys and values differ in batch or heads");
  }
  const auto order = order_of(match.node("transposed"));
  if (!order || order->size() != rank) return no("the axis order of the keys is unknown");
  if (!is_over_last_axis(match.node("weights"), rank)) return no("Softmax is along another axis");
  if (match.find("condition") != nullptr) return check_condition(match);
  return match.find("mask") != nullptr ? check_mask(match["mask"], match["product"], element)
                                       : yes();
}

/// The additive mask, derived from the condition if there is one; null for none.
Value* added_mask(Replacement& replacement) {
  const Match& match = replacement.match();
  if (Value* mask = match.find("mask")) return mask;
  Value* condition = match.find("condition");
  if (condition == nullptr) return nullptr;
  Value* hidden = &match["hidden"];
  Value* zero = &replacement.constant(filled(element_of(match["q"]), Shape(), 0));
  const bool hides_true = match.node("masked").input(1) == hidden;
  if (hides_true) return &replacement.add("Where", {condition, hidden, zero});
  return &replacement.add("Where", {condition, zero, hidden});
}

/// The mask with a head axis, which is inserted if missing.
Value* mask_of(Replacement& replacement) {
  Value* mask = added_mask(replacement);
  const bool has_heads = rank_of(replacement["q"]) == heads_rank;
  if (mask == nullptr || has_heads || rank_of(*mask) != 3) return mask;
  return &add_with_axes(replacement, "Unsqueeze", *mask, {1});
}

}  // namespace

/// softmax(scale q kᵀ + mask) v, https://arxiv.org/abs/1706.03762.
Rule fuse_attention() {
  const Pattern product =
      op("MatMul", {any("q"), op("Transpose", {any("k")}).as("transposed").shared()}).as("product");
  const Pattern scaled = maybe_scaled(product);
  const Pattern masked =
      any_of({op("Add", {scaled, any("mask")}),
              op("Where", {any("condition"), scaled, scalar("hidden")}).as("masked"),
              op("Where", {any("condition"), scalar("hidden"), scaled}).as("masked"), scaled});
  return {.name = "fuse-attention",
          .summary = "Softmax(q k^T * scale + mask) v -> Attention(q, k, v, mask)",
          .pattern = op("MatMul", {op("Softmax", {masked}).as("weights"), any("v")}),
          .makes = {"Attention"},
          .where = can_fuse,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Order order = keys_order(*order_of(match.node("transposed")));
            Value* keys = &match["k"];
            if (!keeps_order(order))
              keys = &replacement.add("Transpose", {keys}, {{"perm", order}});
            Value* mask = mask_of(replacement);
            NewAttributes attributes = {{"scale", scale_of(match)}};
            if (rank_of(match["q"]) != heads_rank) {
              // Rows of a single head, or of heads treated as batches.
              attributes.push_back({"q_num_heads", std::int64_t{1}});
              attributes.push_back({"kv_num_heads", std::int64_t{1}});
            }
            return replacement.add("Attention", {&match["q"], keys, &match["v"], mask},
                                   std::move(attributes));
          }};
}

}  // namespace ortool
