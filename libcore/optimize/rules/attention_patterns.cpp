// Attention construction: copies attributes one by one, since the domain may change.
#include "libcore/optimize/rules/attention_patterns.hpp"

#include <utility>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/attention/attention.hpp"

namespace ortool {
namespace {

constexpr std::int64_t first_length = 6;
constexpr std::int64_t scores_output = 3;

NewAttributes attributes_of(const Attention& op, const NewAttributes& changed) {
  NewAttributes attributes = changed;
  const auto keep = [&](const char* name, decltype(NewAttribute::value) value) {
    for (const NewAttribute& each : changed) {
      if (each.name == name) return;
    }
    attributes.push_back({name, std::move(value)});
  };
  if (op.scale) keep("scale", *op.scale);
  if (op.is_causal) keep("is_causal", std::int64_t{1});
  if (op.softcap != 0) keep("softcap", op.softcap);
  if (op.query_heads != 0) keep("q_num_heads", op.query_heads);
  if (op.shared_heads != 0) keep("kv_num_heads", op.shared_heads);
  return attributes;
}

AttentionReplacement add(Replacement& replacement, const AttentionInputs& inputs,
                         const NewAttributes& changed, std::size_t outputs) {
  const auto op = read_op<Attention>(replacement.match().node("attention"));
  const std::vector<Value*> made = replacement.add_many(
      "Attention", {inputs.q, inputs.k, inputs.v, inputs.mask, inputs.past_key, inputs.past_value},
      attributes_of(op, changed), outputs);
  AttentionReplacement result{made.front()};
  if (outputs > 1) {
    result.present_key = made[1];
    result.present_value = made[2];
  }
  return result;
}

}  // namespace

bool is_plain_attention(const Node& node) {
  if (node.input(first_length) != nullptr || node.output(scores_output) != nullptr) return false;
  const auto op = read_op<Attention>(node);
  return !op.softmax_precision && op.left_window < 0 && op.right_window < 0;
}

Pattern plain_attention(Pattern q, Pattern k, Pattern v) {
  return op("Attention", {std::move(q), std::move(k), std::move(v), maybe(any("mask")),
                          maybe(any("past_key")), maybe(any("past_value"))})
      .as("attention")
      .where_node(is_plain_attention);
}

std::vector<std::string_view> attention_caches() {
  return {"attention.1", "attention.2"};
}

AttentionInputs AttentionInputs::of(const Match& match) {
  return {match.find("q"),    match.find("k"),        match.find("v"),
          match.find("mask"), match.find("past_key"), match.find("past_value")};
}

Value& add_attention(Replacement& replacement, const AttentionInputs& inputs,
                     const NewAttributes& changed) {
  const Match& match = replacement.match();
  const bool has_key = match.find("attention.1") != nullptr;
  const bool has_value = match.find("attention.2") != nullptr;
  const AttentionReplacement made = add(replacement, inputs, changed, has_key || has_value ? 3 : 1);
  if (has_key) replacement.also_replace("attention.1", *made.present_key);
  if (has_value) replacement.also_replace("attention.2", *made.present_value);
  return *made.result;
}

AttentionReplacement add_caching_attention(Replacement& replacement, const AttentionInputs& inputs,
                                           const NewAttributes& changed) {
  return add(replacement, inputs, changed, 3);
}

}  // namespace ortool
