// Scaled dot-product attention spelled out in products, Softmax and moves becomes one operator.
#include <numeric>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/attention.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "libcore/optimize/rules.hpp"
#include "libcore/optimize/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Order = std::vector<std::int64_t>;

constexpr std::int64_t heads_rank = 4;

/// A product with a number, written one way or the other, or none.
Pattern maybe_scaled(const Pattern& x) {
  return any_of({op("Div", {x, scalar("divisor")}), op("Mul", {x, scalar("factor")}), x});
}

float scale_of(const Match& match) {
  if (match.find("divisor") != nullptr) return static_cast<float>(1 / match.number("divisor"));
  return match.find("factor") != nullptr ? static_cast<float>(match.number("factor")) : 1.0F;
}

/// The order that makes keys of their transpose's input.
Order keys_order(const Order& transpose) {
  return {transpose[0], transpose[1], transpose[3], transpose[2]};
}

bool keeps_order(const Order& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

/// Before opset 13 Softmax took all axes from its axis on together.
bool is_over_last_axis(const Node& softmax) {
  const auto op = read_op<Softmax>(softmax);
  return op.axis == -1 || op.axis == heads_rank - 1;
}

Verdict check_mask(const Value& mask, const Value& product, DataType element) {
  const Dimensions* dimensions = dimensions_of(mask);
  const Dimensions* scores = dimensions_of(product);
  if (element_of(mask) != element) return no("the mask is of another type");
  if (dimensions == nullptr || scores == nullptr || dimensions->empty())
    return no("the shape of the mask is not known");
  if (!are_equal(dimensions->back(), scores->back()))
    return no("the mask has another number of columns than there are keys");
  if (!broadcasts_into(*dimensions, *scores))
    return no("nothing says that the mask broadcasts to the scores");
  return yes();
}

/// What a Where puts in the place of scores, over the shape of its condition.
Verdict check_condition(const Match& match) {
  const Dimensions* dimensions = dimensions_of(match["condition"]);
  const Dimensions* scores = dimensions_of(match["product"]);
  if (dimensions == nullptr || scores == nullptr || dimensions->empty() ||
      !are_equal(dimensions->back(), scores->back()) || !broadcasts_into(*dimensions, *scores))
    return no("nothing says that the condition broadcasts to the scores");
  return match.number("hidden") <= -1e4 ? yes() : no("what the condition puts in is no mask");
}

Verdict can_fuse(const Match& match) {
  const Value& q = match["q"];
  const Value& v = match["v"];
  const DataType element = element_of(q);
  if (element != DataType::float32 && element != DataType::float16 && element != DataType::bfloat16)
    return no("it is not made of floats");
  if (element_of(match["k"]) != element || element_of(v) != element)
    return no("queries, keys and values are of different types");
  const Dimensions* queries = dimensions_of(q);
  const Dimensions* keys = dimensions_of(match["transposed"]);
  const Dimensions* values = dimensions_of(v);
  if (queries == nullptr || keys == nullptr || values == nullptr || queries->size() != heads_rank ||
      keys->size() != heads_rank || values->size() != heads_rank)
    return no("queries, keys and values are not of rank 4");
  for (std::size_t i = 0; i < 2; ++i) {
    if (!are_equal((*queries)[i], (*keys)[i]) || !are_equal((*queries)[i], (*values)[i]))
      return no("queries, keys and values differ in batch or heads");
  }
  const auto order = order_of(match.node("transposed"));
  if (!order || order->size() != heads_rank) return no("the order of the keys is not known");
  if (!is_over_last_axis(match.node("weights"))) return no("Softmax goes over another axis");
  if (match.find("condition") != nullptr) return check_condition(match);
  return match.find("mask") != nullptr ? check_mask(match["mask"], match["product"], element)
                                       : yes();
}

/// The mask that is added, made of the condition where there is one; null for none.
Value* mask_of(Replacement& replacement) {
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

/// The same attention with other inputs, and with changed attributes.
Value& add_changed(Replacement& replacement, std::vector<Value*> inputs,
                   const NewAttributes& changed) {
  const Node& old_node = replacement.match().node("attention");
  const auto op = read_op<Attention>(old_node);
  NewAttributes attributes = changed;
  const auto keep = [&](const char* name, decltype(NewAttribute::value) value) {
    for (const auto& each : changed) {
      if (each.name == name) return;
    }
    attributes.push_back({name, std::move(value)});
  };
  if (op.scale) keep("scale", *op.scale);
  if (op.is_causal) keep("is_causal", std::int64_t{1});
  if (op.softcap != 0) keep("softcap", op.softcap);
  if (op.query_heads != 0) keep("q_num_heads", op.query_heads);
  if (op.shared_heads != 0) keep("kv_num_heads", op.shared_heads);
  return replacement.add("Attention", std::move(inputs), std::move(attributes));
}

/// An Attention that nobody gave caches, windows or outputs beyond the first.
bool is_plain(const Node& node) {
  for (std::int64_t i = 4; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr) return false;
  }
  for (std::int64_t i = 1; i < node.output_count(); ++i) {
    if (node.output(i) != nullptr) return false;
  }
  const auto op = read_op<Attention>(node);
  return !op.softmax_precision && op.left_window < 0 && op.right_window < 0;
}

Pattern plain_attention(Pattern q, Pattern k, Pattern v) {
  return op("Attention", {std::move(q), std::move(k), std::move(v), maybe(any("mask"))})
      .as("attention")
      .where_node(is_plain);
}

/// Heads cut out of rows: a Reshape to batch x length x heads x size, turned to put heads first.
Pattern cut_heads(const std::string& name) {
  return op("Transpose", {op("Reshape", {any(name), any()}).as(name + "_cut")})
      .as(name + "_heads")
      .where_node([](const Node& node) {
        return order_of(node) == Order{0, 2, 1, 3};
      });
}

/// Whether `cut` is `rows` (batch x length x width) with the width cut into heads.
bool cuts_width(const Value& rows, const Value& cut) {
  const Dimensions* from = dimensions_of(rows);
  const Dimensions* to = dimensions_of(cut);
  if (from == nullptr || to == nullptr || from->size() != 3 || to->size() != heads_rank)
    return false;
  return are_equal((*from)[0], (*to)[0]) && are_equal((*from)[1], (*to)[1]) &&
         (*to)[2].is_known() && (*to)[3].is_known() && are_equal((*from)[2], (*to)[2] * (*to)[3]);
}

std::int64_t heads_in(const Value& cut) {
  return (*dimensions_of(cut))[2].number();
}

Verdict can_take_rows(const Match& match) {
  for (const char* name : {"q", "k", "v"}) {
    if (!cuts_width(match[name], match[std::string(name) + "_cut"]))
      return no(format("nothing says that '{}' is cut into heads along its width alone",
                       match[name].name()));
  }
  if (!cuts_width(match.result(), match["turned"]))
    return no("the heads are not joined along the width alone");
  if (heads_in(match["k_cut"]) != heads_in(match["v_cut"]))
    return no("keys and values differ in heads");
  return yes();
}

/// Heads repeated for the queries that share them: batch x heads x length x size, with an axis put
/// in behind the heads, expanded and joined with them.
Pattern repeated_heads(const std::string& name) {
  const Pattern unsqueezed = op("Unsqueeze", {any(name), maybe(any())});
  return op("Reshape", {op("Expand", {unsqueezed, any()}).as(name + "_expanded"), any()})
      .as(name + "_repeated");
}

bool repeats_heads(const Value& heads, const Value& expanded, const Value& repeated) {
  const Dimensions* from = dimensions_of(heads);
  const Dimensions* wide = dimensions_of(expanded);
  const Dimensions* to = dimensions_of(repeated);
  if (from == nullptr || wide == nullptr || to == nullptr || from->size() != heads_rank ||
      wide->size() != heads_rank + 1 || to->size() != heads_rank)
    return false;
  return are_equal((*from)[0], (*wide)[0]) && are_equal((*from)[1], (*wide)[1]) &&
         are_equal((*from)[2], (*wide)[3]) && are_equal((*from)[3], (*wide)[4]) &&
         are_equal((*from)[0], (*to)[0]) && are_equal((*from)[2], (*to)[2]) &&
         are_equal((*from)[3], (*to)[3]) && (*from)[1].is_known() && (*wide)[2].is_known() &&
         are_equal((*to)[1], (*from)[1] * (*wide)[2]);
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
            return replacement.add("Attention", {&match["q"], keys, &match["v"], mask},
                                   {{"scale", scale_of(match)}});
          }};
}

Rule fuse_attention_scale() {
  const Pattern scaled_q =
      any_of({op("Div", {any("q"), scalar("divisor")}), op("Mul", {any("q"), scalar("factor")})});
  const Pattern scaled_k =
      any_of({op("Div", {any("k"), scalar("divisor")}), op("Mul", {any("k"), scalar("factor")})});
  return {.name = "fuse-attention-scale",
          .summary = "Attention(q * c, k, v) -> Attention(q, k, v) with the scale times c",
          .pattern = any_of({plain_attention(scaled_q, any("k"), any("v")),
                             plain_attention(any("q"), scaled_k, any("v"))}),
          .makes = {"Attention"},
          .where =
              [](const Match& match) {
                const bool has_scale = read_op<Attention>(match.root()).scale.has_value();
                return has_scale ? yes() : no("its scale follows from the size of the heads");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const float scale = *read_op<Attention>(match.root()).scale * scale_of(match);
            return add_changed(replacement,
                               {&match["q"], &match["k"], &match["v"], match.find("mask")},
                               {{"scale", scale}});
          }};
}

Rule fuse_attention_heads() {
  const Pattern turned =
      op("Transpose", {plain_attention(cut_heads("q"), cut_heads("k"), cut_heads("v"))})
          .as("turned")
          .where_node([](const Node& node) {
            return order_of(node) == Order{0, 2, 1, 3};
          });
  return {.name = "fuse-attention-heads",
          .summary = "Attention between rows cut into heads and joined again -> Attention of rows",
          .pattern = op("Reshape", {turned, any()}),
          .makes = {"Attention"},
          .where = can_take_rows,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            return add_changed(replacement,
                               {&match["q"], &match["k"], &match["v"], match.find("mask")},
                               {{"q_num_heads", heads_in(match["q_cut"])},
                                {"kv_num_heads", heads_in(match["k_cut"])}});
          }};
}

Rule fuse_attention_groups() {
  return {
      .name = "fuse-attention-groups",
      .summary = "Attention with heads repeated by Expand -> Attention with shared heads",
      .pattern = plain_attention(any("q"), repeated_heads("k"), repeated_heads("v")),
      .makes = {"Attention"},
      .where =
          [](const Match& match) {
            for (const char* name : {"k", "v"}) {
              const std::string text(name);
              if (!repeats_heads(match[text], match[text + "_expanded"], match[text + "_repeated"]))
                return no(
                    format("nothing says that '{}' is repeated head by head", match[text].name()));
            }
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        return add_changed(replacement, {&match["q"], &match["k"], &match["v"], match.find("mask")},
                           {});
      }};
}

}  // namespace ortool
