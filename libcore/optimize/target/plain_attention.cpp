// Attention of com.microsoft as ONNX's Attention: masks are added to scores, biases before it.
// https://onnx.ai/onnx/operators/onnx__Attention.html
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/multi_head_attention.hpp"
#include "libcore/ops/contrib/attention/self_attention.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/target/target_tables.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

/// The parts of `x` of these sizes along an axis.
std::vector<Value*> parts(Decomposition& out, Value& x, std::int64_t axis, const Integers& sizes) {
  std::vector<Attribute> attributes = plain_attributes({{"axis", axis}});
  if (out.opset() >= opset_without_attribute("Split", "split"))
    return out.add_many("Split", {&x, &out.integers(sizes)}, sizes.size(), std::move(attributes));
  attributes.emplace_back();
  attributes.back().name = "split";
  attributes.back().value = sizes;
  return out.add_many("Split", {&x}, sizes.size(), std::move(attributes));
}

/// The last dimension of an input; -1 if it is not known.
std::int64_t width_of(const Decomposition& out, std::int64_t input) {
  const PartialShape shape = out.shape(input);
  return shape && !shape->empty() && shape->back().is_known() ? shape->back().number() : -1;
}

/// Whether the mask is a number of keys for each batch.
bool is_lengths(const Decomposition& out, std::int64_t mask) {
  const PartialShape shape = out.shape(mask);
  const PartialShape x = out.shape(0);
  return shape && shape->size() == 1 && x && are_equal(shape->front(), x->front());
}

/// Whether the mask has a form here: none, batch x keys, or the numbers of keys.
bool has_plain_mask(const Decomposition& out, std::int64_t mask) {
  return out.input(mask) == nullptr || out.rank(mask) == 2 ||
         (is_lengths(out, mask) && out.opset() >= opset_of("Range"));
}

/// 1 for the first keys of each batch, as many as its length; batch x keys, where there are as many
/// keys as `x` has rows.
Value& mask_of_lengths(Decomposition& out, Value& lengths, Value& x, DataType type) {
  Value& rows = out.add("Gather", {&out.add("Shape", {&x}), &integer_scalar(out, 1)});
  Value& positions = out.add("Range", {&integer_scalar(out, 0), &rows, &integer_scalar(out, 1)});
  Value& wide = cast_to(out, lengths, DataType::int64);
  Value& is_seen = out.add("Less", {&positions, &out.add_with_axes("Unsqueeze", wide, {1})});
  return cast_to(out, is_seen, type);
}

/// What is added to the scores, batch x 1 x 1 x keys: the filter where the mask is 0; and a bias.
Value* added_mask(Decomposition& out, const MultiHeadAttentionBase& op, std::int64_t keys,
                  std::int64_t mask, std::int64_t bias) {
  Value* given = out.input(bias);
  if (out.input(mask) == nullptr) return given;
  const DataType type = out.element(0);
  Value& seen = is_lengths(out, mask)
                    ? mask_of_lengths(out, *out.input(mask), *out.input(keys), type)
                    : cast_to(out, *out.input(mask), type);
  Value& hidden = out.add("Sub", {&scalar(out, type, 1), &seen});
  Value& filter = scalar(out, type, static_cast<double>(op.mask_filter));
  Value& spread = out.add_with_axes("Unsqueeze", out.add("Mul", {&hidden, &filter}), {1, 2});
  return given != nullptr ? &out.add("Add", {&spread, given}) : &spread;
}

std::vector<Attribute> attention_attributes(const MultiHeadAttentionBase& op) {
  std::vector<Attribute> attributes = plain_attributes({{"q_num_heads", op.heads},
                                                        {"kv_num_heads", op.heads},
                                                        {"is_causal", std::int64_t{op.is_causal}}});
  if (op.scale) attributes.push_back(std::move(plain_attributes({{"scale", *op.scale}})[0]));
  return attributes;
}

Results multi_head(Decomposition& out) {
  const auto op = read_op<MultiHeadAttention>(out.node());
  constexpr MultiHeadInputs where = MultiHeadAttention::inputs;
  const bool is_plain = out.rank(0) == 3 && out.rank(1) == 3 && out.rank(2) == 3 &&
                        op.rotated_size == 0 && has_plain_mask(out, where.mask) &&
                        out.input(where.past_length) == nullptr &&
                        out.input(where.cache_indirection) == nullptr && !out.has_output(3) &&
                        out.element(0) != DataType::undefined;
  if (!is_plain) return {};
  std::vector<Value*> operands = {out.input(0), out.input(1), out.input(2)};
  if (out.input(where.bias) != nullptr) {
    const Integers widths = {width_of(out, 0), width_of(out, 1), width_of(out, 2)};
    if (widths[0] < 0 || widths[1] < 0 || widths[2] < 0) return {};
    const std::vector<Value*> biases = parts(out, *out.input(where.bias), 0, widths);
    for (std::size_t i = 0; i < operands.size(); ++i)
      operands[i] = &out.add("Add", {operands[i], biases[i]});
  }
  operands.push_back(added_mask(out, op, where.key, where.mask, where.attention_bias));
  operands.push_back(out.input(where.past_key));
  operands.push_back(out.input(where.past_value));
  return out.add_wanted_own("Attention", std::move(operands),
                            {true, out.has_output(1), out.has_output(2)}, attention_attributes(op));
}

/// The queries, keys and values that SelfAttention has side by side; empty if it has a cache or
/// rotates, or the widths are not known.
std::vector<Value*> projected(Decomposition& out, const SelfAttention& op) {
  constexpr MultiHeadInputs where = SelfAttention::inputs;
  const bool is_plain = op.rotated_size == 0 && out.input(where.past_key) == nullptr &&
                        out.input(where.past_length) == nullptr && !out.has_output(1) &&
                        out.element(0) != DataType::undefined;
  const std::int64_t width = width_of(out, 0);
  if (!is_plain || (op.key_width == 0 && (width < 0 || width % 3 != 0))) return {};
  const std::int64_t key = op.key_width != 0 ? op.key_width : width / 3;
  const std::int64_t value = op.key_width != 0 ? op.value_width : width / 3;
  return parts(out, *out.input(0), 2, {key, key, value});
}

Results self_attention(Decomposition& out) {
  const auto op = read_op<SelfAttention>(out.node());
  constexpr MultiHeadInputs where = SelfAttention::inputs;
  if (!has_plain_mask(out, where.mask)) return {};
  std::vector<Value*> operands = projected(out, op);
  if (operands.empty()) return {};
  operands.push_back(added_mask(out, op, where.query, where.mask, where.attention_bias));
  return out.add_wanted_own("Attention", std::move(operands), {true}, attention_attributes(op));
}

Results contrib_self_attention(Decomposition& out) {
  const auto op = read_op<SelfAttention>(out.node());
  constexpr MultiHeadInputs where = SelfAttention::inputs;
  std::vector<Value*> operands = projected(out, op);
  if (operands.empty()) return {};
  std::vector<Attribute> attributes =
      plain_attributes({{"num_heads", op.heads},
                        {"mask_filter_value", op.mask_filter},
                        {"unidirectional", std::int64_t{op.is_causal}}});
  if (op.scale) attributes.push_back(std::move(plain_attributes({{"scale", *op.scale}})[0]));
  operands.push_back(nullptr);
  operands.push_back(out.input(where.mask));
  operands.push_back(out.input(where.attention_bias));
  return {&out.add_contrib("MultiHeadAttention", std::move(operands), std::move(attributes))};
}

}  // namespace

std::span<const DecompositionRow> plain_attention() {
  static constexpr DecompositionRow rows[] = {
      {"MultiHeadAttention", multi_head, 3},
      {"SelfAttention", self_attention, 2, own_domain},
  };
  return rows;
}

std::span<const DecompositionRow> packed_attention() {
  static constexpr DecompositionRow rows[] = {
      {"SelfAttention", contrib_self_attention, 2, own_domain},
  };
  return rows;
}

}  // namespace ortool
