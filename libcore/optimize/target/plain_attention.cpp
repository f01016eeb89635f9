// Attention of com.microsoft as ONNX's Attention: masks are added to scores, biases before it.
// https://onnx.ai/onnx/operators/onnx__Attention.html
#include <algorithm>
#include <optional>
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

/// The form of a mask; nothing if there is none, or its form depends on sizes that are not known.
std::optional<KeyMaskFormat> mask_format(const Decomposition& out, std::int64_t mask) {
  const PartialShape x = out.shape(0);
  const PartialShape shape = out.shape(mask);
  if (!shape || !x) return std::nullopt;
  if (shape->size() == 1 && are_equal(shape->front(), x->front())) return KeyMaskFormat::ends;
  const bool is_matrix = shape->size() == 2;
  return key_mask_form(shape, x->front(), is_matrix ? shape->back() : Dimension());
}

/// Whether the mask has a form here: all but masks of 4 dimensions, of which some rows count.
bool has_plain_mask(const Decomposition& out, std::int64_t mask) {
  if (out.input(mask) == nullptr) return true;
  const std::optional<KeyMaskFormat> format = mask_format(out, mask);
  if (!format || out.rank(mask) == 4) return false;
  return out.rank(mask) > 1 || out.opset() >= opset_of("Range");
}

/// Where keys are counted: the rows of an input, behind those of the cache `past` if there is one.
struct KeyRows {
  std::int64_t input = 0;
  Value* past = nullptr;

  Value& count(Decomposition& out) const {
    constexpr std::int64_t rank_of_split_heads = 4;
    const std::int64_t axis = out.rank(input) == rank_of_split_heads ? 2 : 1;
    Value& rows = axis_size(out, *out.input(input), axis);
    return past != nullptr ? out.add("Add", {&rows, &axis_size(out, *past, 2)}) : rows;
  }
};

/// 1 for the keys of each batch from its start, if starts are given, to its end; batch x keys.
Value& mask_of_ranges(Decomposition& out, Value& numbers, const KeyRows& keys, bool has_starts,
                      DataType type) {
  Value& batch = sizes(out, *out.input(0), 0, 1);
  Value& positions = range_to(out, keys.count(out));
  Value& wide = cast_to(out, numbers, DataType::int64);
  const auto part = [&](Value& begin, Value& end) -> Value& {
    const Integers axis = {0};
    Value& taken = out.add("Slice", {&wide, &begin, &end, &out.integers(axis)});
    return unsqueeze(out, taken, 1);
  };
  const Integers zero = {0};
  Value& first = out.integers(zero);
  Value* is_seen = &out.add("Less", {&positions, &part(first, batch)});
  if (has_starts) {
    Value& starts = part(batch, out.add("Add", {&batch, &batch}));
    Value& is_before = out.add("Less", {&positions, &starts});
    is_seen = &out.add("And", {is_seen, &out.add("Not", {&is_before})});
  }
  return cast_to(out, *is_seen, type);
}

/// The filter in the type of the scores; -inf would make a mask of zeros NaN.
double finite_filter(const MultiHeadAttentionBase& op, DataType type) {
  constexpr double lowest_half = -65504;
  const auto filter = static_cast<double>(op.mask_filter);
  return type == DataType::float16 ? std::max(filter, lowest_half) : filter;
}

/// What is added to the scores, batch x 1 x queries or 1 x keys: the filter where the mask is 0;
/// and a bias.
Value* added_mask(Decomposition& out, const MultiHeadAttentionBase& op, const KeyRows& keys,
                  std::int64_t mask, std::int64_t bias) {
  Value* given = out.input(bias);
  if (out.input(mask) == nullptr) return given;
  const DataType type = out.element(0);
  const KeyMaskFormat format = *mask_format(out, mask);
  const bool has_starts = format == KeyMaskFormat::ends_and_starts;
  const bool is_list = has_starts || format == KeyMaskFormat::ends;
  Value& seen = is_list ? mask_of_ranges(out, *out.input(mask), keys, has_starts, type)
                        : cast_to(out, *out.input(mask), type);
  Value& hidden = out.add("Sub", {&scalar(out, type, 1), &seen});
  Value& filter = scalar(out, type, finite_filter(op, type));
  Value& added = out.add("Mul", {&hidden, &filter});
  const Integers axes = out.rank(mask) == 3 ? Integers{1} : Integers{1, 2};
  Value& spread = out.add_with_axes("Unsqueeze", added, axes);
  return given != nullptr ? &out.add("Add", {&spread, given}) : &spread;
}

std::vector<Attribute> attention_attributes(const MultiHeadAttentionBase& op) {
  std::vector<Attribute> attributes = plain_attributes({{"q_num_heads", op.heads},
                                                        {"kv_num_heads", op.heads},
                                                        {"is_causal", std::int64_t{op.is_causal}}});
  if (op.scale) attributes.push_back(std::move(plain_attributes({{"scale", *op.scale}})[0]));
  return attributes;
}

constexpr std::int64_t packed_rank = 5;
constexpr std::int64_t split_rank = 4;

/// Queries, keys and values, batch x length x (heads side by side); empty if they have other forms.
/// They may be packed in each head (batch x length x heads x 3 x size), or keys and values alone,
/// or keys and values may have heads before the length.
std::vector<Value*> separate_operands(Decomposition& out) {
  const Integers flat = {0, 0, -1};
  const auto unpacked = [&](std::int64_t input, std::int64_t count) {
    const Integers ones(static_cast<std::size_t>(count), 1);
    std::vector<Value*> made = parts(out, *out.input(input), 3, ones);
    for (Value*& each : made) each = &reshape(out, *each, flat);
    return made;
  };
  const auto joined = [&](std::int64_t input) {
    return &reshape(out, transpose(out, *out.input(input), {0, 2, 1, 3}), flat);
  };
  if (out.rank(0) == packed_rank) return unpacked(0, 3);
  if (out.rank(0) != 3) return {};
  if (out.rank(1) == packed_rank) {
    const std::vector<Value*> both = unpacked(1, 2);
    return {out.input(0), both[0], both[1]};
  }
  if (out.rank(1) == split_rank && out.rank(2) == split_rank)
    return {out.input(0), joined(1), joined(2)};
  if (out.rank(1) != 3 || out.rank(2) != 3) return {};
  return {out.input(0), out.input(1), out.input(2)};
}

/// The widths of the parts of a bias for queries, keys and values, which are positive where they
/// are known. Keys and values with heads before the length are those of another sequence, which
/// have their biases already; the second part is then that of both.
Integers widths_of_biases(const Decomposition& out, std::int64_t bias) {
  const std::int64_t query = width_of(out, 0);
  if (out.rank(1) == split_rank) return {query, width_of(out, bias) - query};
  return {query, width_of(out, 1), width_of(out, 2)};
}

void add_biases(Decomposition& out, Value& bias, const Integers& widths,
                std::vector<Value*>& operands) {
  const std::vector<Value*> biases = parts(out, bias, 0, widths);
  const bool is_split = out.rank(1) == split_rank;
  for (std::size_t i = 0; i < (is_split ? 1 : operands.size()); ++i)
    operands[i] = &out.add("Add", {operands[i], biases[i]});
}

/// Whether the bias, if there is one, has parts of known widths.
bool has_plain_bias(const Decomposition& out, std::int64_t bias) {
  if (out.input(bias) == nullptr) return true;
  const Integers widths = widths_of_biases(out, bias);
  return out.rank(0) == 3 &&
         std::all_of(widths.begin(), widths.end(), [](std::int64_t width) { return width > 0; });
}

Results multi_head(Decomposition& out) {
  const auto op = read_op<MultiHeadAttention>(out.node());
  constexpr MultiHeadInputs where = MultiHeadAttention::inputs;
  const bool is_plain =
      has_plain_bias(out, where.bias) && op.rotated_size == 0 && has_plain_mask(out, where.mask) &&
      out.input(where.past_length) == nullptr && out.input(where.cache_indirection) == nullptr &&
      !out.has_output(3) && out.element(0) != DataType::undefined;
  if (!is_plain) return {};
  std::vector<Value*> operands = separate_operands(out);
  if (operands.empty()) return {};
  if (out.input(where.bias) != nullptr)
    add_biases(out, *out.input(where.bias), widths_of_biases(out, where.bias), operands);
  const KeyRows keys = {out.input(where.key) != nullptr ? where.key : where.query,
                        out.input(where.past_key)};
  operands.push_back(added_mask(out, op, keys, where.mask, where.attention_bias));
  operands.push_back(out.input(where.past_key));
  operands.push_back(out.input(where.past_value));
  return out.add_wanted_own("Attention", std::move(operands),
                            {true, out.has_output(1), out.has_output(2)}, attention_attributes(op));
}

/// The queries, keys and values that SelfAttention has side by side; empty if it rotates, its cache
/// has room, or the widths are not known.
std::vector<Value*> projected(Decomposition& out, const SelfAttention& op) {
  constexpr MultiHeadInputs where = SelfAttention::inputs;
  const bool is_plain = op.rotated_size == 0 && out.input(where.past_length) == nullptr &&
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
  Value* const past = out.input(where.past_key);
  const auto half = [&](std::int64_t index) {
    return past != nullptr ? &gather(out, *past, integer_scalar(out, index), 0) : nullptr;
  };
  Value* const keys = half(0);
  operands.push_back(added_mask(out, op, {where.query, keys}, where.mask, where.attention_bias));
  operands.push_back(keys);
  operands.push_back(half(1));
  const bool has_cache = out.has_output(1);
  const Results made = out.add_wanted_own("Attention", std::move(operands),
                                          {true, has_cache, has_cache}, attention_attributes(op));
  if (!has_cache) return {made[0]};
  // Keys and values are one tensor.
  return {made[0],
          &concatenate(out, {&unsqueeze(out, *made[1], 0), &unsqueeze(out, *made[2], 0)}, 0)};
}

Results contrib_self_attention(Decomposition& out) {
  const auto op = read_op<SelfAttention>(out.node());
  constexpr MultiHeadInputs where = SelfAttention::inputs;
  if (out.input(where.past_key) != nullptr || out.has_output(1)) return {};
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
