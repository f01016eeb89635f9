// Decompositions of ONNX Runtime's attention operators that project their input themselves, of the
// embeddings in front of them, and of rotated pairs.
#include "libcore/ops/contrib/attention/attention.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/embed_layer_normalization.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// Attention of the projected queries, keys and values.
Results self_attention(Decomposition& out, const ContribAttention& op, const ProjectedInputs& where,
                       Value& qkv) {
  const std::int64_t rotated = op.rotated_size > 0 ? op.rotated_size : -1;
  std::vector<Attribute> attributes =
      plain_attributes({{"num_heads", op.heads},
                        {"key_width", op.key_width},
                        {"value_width", op.value_width},
                        {"mask_filter_value", op.mask_filter},
                        {"is_causal", std::int64_t{op.is_causal}},
                        {"rotated_size", op.rotates ? rotated : 0}});
  if (op.scale) {
    for (Attribute& each : plain_attributes({{"scale", *op.scale}}))
      attributes.push_back(std::move(each));
  }
  const auto given = [&](std::int64_t input) { return input >= 0 ? out.input(input) : nullptr; };
  return out.add_many_own("SelfAttention",
                          {&qkv, given(where.mask), given(where.past), given(where.attention_bias),
                           op.shares_buffer ? given(where.past_length) : nullptr},
                          out.has_output(1) ? 2 : 1, std::move(attributes));
}

Results attention(Decomposition& out) {
  const auto op = read_op<ContribAttention>(out.node());
  constexpr ProjectedInputs where = ContribAttention::inputs;
  Value* qkv = &out.add("MatMul", {out.input(where.input), out.input(where.weights)});
  if (out.input(where.bias) != nullptr) qkv = &out.add("Add", {qkv, out.input(where.bias)});
  return self_attention(out, op, where, *qkv);
}

Results q_attention(Decomposition& out) {
  const auto op = read_op<QAttention>(out.node());
  constexpr ProjectedInputs where = QAttention::inputs;
  Value& qkv = out.add_contrib(
      "MatMulIntegerToFloat", {out.input(0), out.input(1), out.input(3), out.input(4), out.input(6),
                               out.input(7), out.input(2)});
  return self_attention(out, op, where, qkv);
}

std::vector<Attribute> integer_attribute(std::string name, std::int64_t value) {
  return plain_attributes({{std::move(name), value}});
}

/// Rows 0 to the length of the ids, as a table with one row a token.
Value& first_rows(Decomposition& out, Value& table) {
  const std::int64_t zero[] = {0};
  Value& length = sizes(out, *out.input(0), 1, 2);
  return out.add("Slice", {&table, &out.integers(zero), &length, &out.integers(zero)});
}

/// The number of words of each batch: those that the mask holds a 1 for; 0 without a mask.
Value& word_counts(Decomposition& out) {
  Value& ids = out.input(7) != nullptr ? *out.input(7) : *out.input(0);
  Tensor wanted(DataType::int32, Shape());
  wanted.mutable_data<std::int32_t>()[0] = 1;
  Value& is_word = out.add("Equal", {&ids, &out.constant(std::move(wanted))});
  const auto int32 = static_cast<std::int64_t>(DataType::int32);
  Value* words = &out.add("Cast", {&is_word}, integer_attribute("to", int32));
  if (out.input(7) == nullptr) words = &out.add("Sub", {words, words});
  std::vector<Attribute> keeps = integer_attribute("keepdims", 0);
  const std::int64_t axis[] = {1};
  if (out.opset() >= opset_without_attribute("ReduceSum", "axes"))
    return out.add("ReduceSum", {words, &out.integers(axis)}, std::move(keeps));
  Attribute& axes = keeps.emplace_back();
  axes.name = "axes";
  axes.value = std::vector<std::int64_t>{1};
  return out.add("ReduceSum", {words}, std::move(keeps));
}

Value& normalized(Decomposition& out, Value& sum, Value* gamma, Value* beta, float epsilon) {
  return out.add_own("LayerNormalization", {&sum, gamma, beta},
                     plain_attributes({{"epsilon", epsilon}}));
}

Results embed_layer_norm(Decomposition& out) {
  const auto op = read_op<ContribEmbedLayerNormalization>(out.node());
  if (out.opset() < opset_of_input("Slice", "starts")) return {};
  Value& words = out.add("Gather", {out.input(2), out.input(0)});
  Value& positions = out.input(8) != nullptr ? out.add("Gather", {out.input(3), out.input(8)})
                                             : first_rows(out, *out.input(3));
  Value* sum = &out.add("Add", {&words, &positions});
  if (out.input(1) != nullptr)
    sum = &out.add("Add", {sum, &out.add("Gather", {out.input(4), out.input(1)})});
  Value& normal = normalized(out, *sum, out.input(5), out.input(6), op.epsilon);
  return {&normal, out.has_output(1) ? &word_counts(out) : nullptr, sum};
}

/// An operand of 8-bit integers as floats.
Value& dequantized(Decomposition& out, Value& x, std::int64_t scale) {
  return out.add("DequantizeLinear", {&x, out.input(scale), out.input(scale + 5)});
}

Results q_embed_layer_norm(Decomposition& out) {
  const auto op = read_op<QEmbedLayerNormalization>(out.node());
  if (out.opset() < opset_of_input("Slice", "starts")) return {};
  Value& words = dequantized(out, out.add("Gather", {out.input(2), out.input(0)}), 8);
  Value& positions = dequantized(out, first_rows(out, *out.input(3)), 9);
  Value* sum = &out.add("Add", {&words, &positions});
  if (out.input(1) != nullptr) {
    Value& segments = dequantized(out, out.add("Gather", {out.input(4), out.input(1)}), 10);
    sum = &out.add("Add", {sum, &segments});
  }
  Value& gamma = dequantized(out, *out.input(5), 11);
  Value& beta = dequantized(out, *out.input(6), 12);
  Value& normal = normalized(out, *sum, &gamma, &beta, op.epsilon);
  return {&normal, out.has_output(1) ? &word_counts(out) : nullptr};
}

/// x cos + rotated x sin in float32, for queries and keys.
Results gemma_rotary(Decomposition& out) {
  const auto cast = [&](Value& x, DataType to) -> Value& {
    return out.add("Cast", {&x}, integer_attribute("to", static_cast<std::int64_t>(to)));
  };
  Value& sines = out.add_with_axes("Unsqueeze", out.add("Sin", {out.input(0)}), {1});
  Value& cosines = out.add_with_axes("Unsqueeze", out.add("Cos", {out.input(0)}), {1});
  const auto rotated = [&](std::int64_t input) {
    Value& straight = out.add("Mul", {&cast(*out.input(input), DataType::float32), &cosines});
    Value& rotated_part = out.add("Mul", {&cast(*out.input(input + 1), DataType::float32), &sines});
    return &cast(out.add("Add", {&straight, &rotated_part}), DataType::float16);
  };
  return {rotated(1), rotated(3)};
}

}  // namespace

std::span<const DecompositionRow> attention_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"Attention", attention, 2, contrib_domain, true},
      {"EmbedLayerNormalization", embed_layer_norm, 3},
      {"GemmaRotaryEmbedding", gemma_rotary, 2},
      {"QAttention", q_attention, 2},
      {"QEmbedLayerNormalization", q_embed_layer_norm, 2},
  };
  return rows;
}

}  // namespace ortool
