// Fusion around Attention: scales, head splitting, grouped queries and key-value caches.
#include <cstdint>
#include <string>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/attention/attention.hpp"
#include "libcore/ops/nn/attention/rotary_embedding.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/attention_patterns.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

Integers heads_first() {
  return {0, 2, 1, 3};
}

bool puts_heads_first(const Node& transpose) {
  return order_of(transpose) == heads_first();
}

/// Split heads: a Reshape to batch x length x heads x size, transposed to put heads first.
Pattern cut_heads(const std::string& name) {
  return op("Transpose", {op("Reshape", {any(name), any()}).as(name + "_cut")})
      .as(name + "_heads")
      .where_node(puts_heads_first);
}

/// Whether `cut` is `rows` (batch x length x width) with the width split into heads.
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
      return no(format("'{}' is not known to be split into heads along its width only",
                       match[name].name()));
  }
  if (!cuts_width(match.result(), match["turned"]))
    return no("the heads are not joined along the width only");
  if (heads_in(match["k_cut"]) != heads_in(match["v_cut"]))
    return no("keys and values differ in heads");
  return yes();
}

/// Keys or values repeated for grouped queries: batch x heads x length x size, with an axis
/// inserted after the heads, expanded and merged with them.
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

/// Cached keys or values concatenated with the new ones.
Pattern cached(const std::string& name) {
  return op("Concat", {any("old_" + name), any(name)}).as("all_" + name);
}

Verdict can_take_cache(const Match& match) {
  const auto op = read_op<Attention>(match.root());
  if (match.find("past_key") != nullptr || match.find("attention.1") != nullptr ||
      match.find("attention.2") != nullptr)
    return no("it already has a cache");
  if (op.is_causal) return no("with a cache, causal masking starts after it");
  for (const char* name : {"k", "v"}) {
    const std::string all = std::string("all_") + name;
    const std::int64_t axis = read_op<Concat>(match.node(all)).axis;
    if (rank_of(match[all]) != heads_rank || (axis != 2 && axis != -2))
      return no(format("'{}' is not concatenated along the sequence axis of the heads",
                       match[all].name()));
  }
  const Dimensions* keys = dimensions_of(match["k"]);
  const Dimensions* values = dimensions_of(match["v"]);
  if (keys == nullptr || values == nullptr || !are_equal((*keys)[2], (*values)[2]))
    return no("the numbers of new keys and new values are not known to be equal");
  return yes();
}

bool is_read_elsewhere(const Value& value) {
  return value.is_graph_output() || value.uses().size() > 1;
}

}  // namespace

Rule fuse_attention_scale() {
  const auto times = [](const char* name) {
    return any_of(
        {op("Div", {any(name), scalar("divisor")}), op("Mul", {any(name), scalar("factor")})});
  };
  return {.name = "fuse-attention-scale",
          .summary = "Attention(q * c, k, v) -> Attention(q, k, v) with the scale times c",
          .pattern = any_of({plain_attention(times("q"), any("k"), any("v")),
                             plain_attention(any("q"), times("k"), any("v"))}),
          .makes = {"Attention"},
          .also_replaces = attention_caches(),
          .where =
              [](const Match& match) {
                if (!read_op<Attention>(match.root()).scale)
                  return no("its scale is implied by the head size");
                const Value* producer = match.root().input(1);
                const bool is_of_keys = producer != match.find("k");
                return is_of_keys && match.find("past_key") != nullptr
                           ? no("cached keys are not scaled")
                           : yes();
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const double number = match.find("divisor") != nullptr ? 1 / match.number("divisor")
                                                                   : match.number("factor");
            const float scale =
                *read_op<Attention>(match.root()).scale * static_cast<float>(number);
            return add_attention(replacement, AttentionInputs::of(match), {{"scale", scale}});
          }};
}

Rule fuse_attention_heads() {
  const Pattern transposed =
      op("Transpose", {plain_attention(cut_heads("q"), cut_heads("k"), cut_heads("v"))})
          .as("turned")
          .where_node(puts_heads_first);
  return {
      .name = "fuse-attention-heads",
      .summary = "Attention between a split into heads and their join -> Attention of unsplit rows",
      .pattern = op("Reshape", {transposed, any()}),
      .makes = {"Attention"},
      .also_replaces = attention_caches(),
      .where = can_take_rows,
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        return add_attention(replacement, AttentionInputs::of(match),
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
      .also_replaces = attention_caches(),
      .where =
          [](const Match& match) {
            if (match.find("past_key") != nullptr) return no("cached heads are not repeated");
            for (const char* name : {"k", "v"}) {
              const std::string text(name);
              if (!repeats_heads(match[text], match[text + "_expanded"], match[text + "_repeated"]))
                return no(
                    format("'{}' is not known to be repeated head by head", match[text].name()));
            }
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        return add_attention(replacement, AttentionInputs::of(replacement.match()));
      }};
}

Rule fuse_attention_cache() {
  return {.name = "fuse-attention-cache",
          .summary = "Attention(q, Concat(past, k), Concat(past, v)) -> Attention with a cache",
          .pattern = plain_attention(any("q"), cached("k"), cached("v")),
          .makes = {"Attention"},
          .also_replaces = {"all_k", "all_v"},
          .where = can_take_cache,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            AttentionInputs inputs = AttentionInputs::of(match);
            inputs.past_key = &match["old_k"];
            inputs.past_value = &match["old_v"];
            if (!is_read_elsewhere(match["all_k"]) && !is_read_elsewhere(match["all_v"]))
              return add_attention(replacement, inputs);
            const AttentionReplacement made = add_caching_attention(replacement, inputs);
            replacement.also_replace("all_k", *made.present_key);
            replacement.also_replace("all_v", *made.present_value);
            return *made.result;
          }};
}

/// Applies the rotary embedding before heads are split, so that Attention can read unsplit rows.
Rule move_rotary() {
  return {
      .name = "move-rotary",
      .summary = "RotaryEmbedding of heads split from rows -> RotaryEmbedding of rows, then split",
      .pattern =
          op("RotaryEmbedding", {cut_heads("x"), any("cos"), any("sin"), maybe(any("positions"))})
              .as("rotary"),
      .makes = {"RotaryEmbedding"},
      .where =
          [](const Match& match) {
            return cuts_width(match["x"], match["x_cut"])
                       ? yes()
                       : no("the heads are not known to be split along the width only");
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        const auto op = read_op<RotaryEmbedding>(match.node("rotary"));
        const Dimensions& cut = *dimensions_of(match["x_cut"]);
        NewAttributes attributes = {{"num_heads", cut[2].number()}};
        if (op.interleaved) attributes.push_back({"interleaved", std::int64_t{1}});
        if (op.rotated_size != 0) attributes.push_back({"rotary_embedding_dim", op.rotated_size});
        Value& rows = replacement.add(
            "RotaryEmbedding", {&match["x"], &match["cos"], &match["sin"], match.find("positions")},
            std::move(attributes));
        Value& heads = add_reshape(replacement, rows, {0, 0, cut[2].number(), cut[3].number()});
        return add_transpose(replacement, heads, heads_first());
      }};
}

}  // namespace ortool
