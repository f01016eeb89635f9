// Fused operators of com.microsoft that ONNX Runtime computes faster than what they stand for.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/nn/attention/attention.hpp"
#include "libcore/ops/nn/attention/rotary_embedding.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/target/target_tables.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

/// The outputs that the old node has, the first `count`.
std::vector<bool> wanted(const Decomposition& out, std::int64_t count) {
  std::vector<bool> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(i == 0 || out.has_output(i));
  return result;
}

Results contrib_gelu(Decomposition& out) {
  const auto op = read_op<Gelu>(out.node());
  return {&out.add_contrib(op.is_approximate ? "FastGelu" : "Gelu", {out.input(0)})};
}

Results contrib_swish(Decomposition& out) {
  const auto op = read_op<Swish>(out.node());
  return {&out.add_contrib("QuickGelu", {out.input(0)}, plain_attributes({{"alpha", op.alpha}}))};
}

/// Whether a normalization runs along the last axis alone, with a scale of rank 1.
bool is_along_last_axis(const Decomposition& out, std::int64_t axis, std::int64_t scale) {
  const bool is_last = axis == -1 || (out.rank(0) > 0 && axis == out.rank(0) - 1);
  return is_last && out.rank(scale) == 1;
}

// ONNX Runtime accepts both normalizations in ONNX's domain at every opset.
Results contrib_layer_normalization(Decomposition& out) {
  return out.add_alike("LayerNormalization", "");
}

Results contrib_rms_normalization(Decomposition& out) {
  const auto op = read_op<RMSNormalization>(out.node());
  if (!is_along_last_axis(out, op.axis, 1)) return {};
  return out.add_alike("SimplifiedLayerNormalization", "");
}

Results contrib_rotary_embedding(Decomposition& out) {
  const auto op = read_op<RotaryEmbedding>(out.node());
  Value* positions = out.input(3);
  if (positions == nullptr || out.rank(3) != 2 || out.rank(0) < 0) return {};
  std::vector<Attribute> attributes =
      plain_attributes({{"interleaved", std::int64_t{op.interleaved}}});
  const bool is_partial = op.rotated_size != 0;
  if (out.rank(0) == 3 || is_partial) {
    if (op.heads == 0) return {};
    for (Attribute& each :
         plain_attributes({{"num_heads", op.heads}, {"rotary_embedding_dim", op.rotated_size}}))
      attributes.push_back(std::move(each));
  }
  return {&out.add_contrib("RotaryEmbedding", {out.input(0), positions, out.input(1), out.input(2)},
                           std::move(attributes))};
}

/// Whether MultiHeadAttention has all of it: packed heads without groups, and a mask that is added.
bool is_multi_head(const Decomposition& out, const Attention& op) {
  const bool is_packed = out.rank(0) == 3 && out.rank(1) == 3 && out.rank(2) == 3;
  const bool is_plain = op.softcap == 0 && op.left_window < 0 && op.right_window < 0 &&
                        out.input(6) == nullptr && !out.has_output(3);
  const bool has_float_mask = out.input(3) == nullptr || out.element(3) == out.element(0);
  const std::int64_t mask_rank = out.rank(3);
  if (!is_packed || !is_plain || !has_float_mask || op.query_heads == 0 ||
      op.query_heads != op.shared_heads)
    return false;
  if (out.input(3) != nullptr && (mask_rank < 2 || mask_rank > 4)) return false;
  if (!op.is_causal) return true;
  // Its causal mask is aligned to the last query.
  return out.input(3) == nullptr &&
         (out.input(4) != nullptr || are_equal((*out.shape(0))[1], (*out.shape(1))[1]));
}

Results multi_head_attention(Decomposition& out) {
  const auto op = read_op<Attention>(out.node());
  if (!is_multi_head(out, op)) return {};
  Value* mask = out.input(3);
  if (mask != nullptr && out.rank(3) < 4) {
    Integers axes;
    for (std::int64_t axis = 0; axis < 4 - out.rank(3); ++axis) axes.push_back(axis);
    mask = &out.add_with_axes("Unsqueeze", *mask, std::move(axes));
  }
  std::vector<Attribute> attributes = plain_attributes({{"num_heads", op.query_heads}});
  if (op.is_causal)
    attributes.push_back(std::move(plain_attributes({{"unidirectional", std::int64_t{1}}})[0]));
  if (op.scale) attributes.push_back(std::move(plain_attributes({{"scale", *op.scale}})[0]));
  return out.add_contrib_many("MultiHeadAttention",
                              {out.input(0), out.input(1), out.input(2), nullptr, nullptr, mask,
                               out.input(4), out.input(5)},
                              wanted(out, out.node().output_count()), std::move(attributes));
}

/// Attention whose mask has a row for each query, where it has a single row for several.
Results with_mask_rows(Decomposition& out) {
  const PartialShape mask = out.shape(3);
  const PartialShape queries = out.shape(0);
  if (!mask || !queries || queries->size() < 3) return {};
  const std::size_t axis = queries->size() - 2;
  const Dimension& count = (*queries)[axis];
  const std::size_t rank = std::max<std::size_t>(2, mask->size());
  const bool has_one_row = mask->size() < 2 || (*mask)[rank - 2] == Dimension(1);
  if (!has_one_row || count == Dimension(1)) return {};
  Integers spread(rank, 1);
  Value* shape = nullptr;
  if (count.is_known()) {
    spread[rank - 2] = count.number();
    shape = &out.integers(spread);
  } else {
    const std::int64_t place[] = {static_cast<std::int64_t>(axis)};
    Value& size = out.add("Gather", {&out.add("Shape", {out.input(0)}), &out.integers(place)});
    std::vector<Value*> parts = {&size, &out.integers(Integers{1})};
    if (rank > 2) parts.insert(parts.begin(), &out.integers(Integers(rank - 2, 1)));
    shape = &out.add("Concat", std::move(parts), plain_attributes({{"axis", std::int64_t{0}}}));
  }
  std::vector<Value*> inputs = out.inputs();
  inputs[3] = &out.add("Expand", {out.input(3), shape});
  std::vector<bool> outputs;
  for (std::int64_t i = 0; i < out.node().output_count(); ++i) outputs.push_back(out.has_output(i));
  return out.add_wanted_own("Attention", std::move(inputs), outputs, out.attributes_but({}));
}

}  // namespace

std::span<const DecompositionRow> attention_with_mask_rows() {
  static constexpr DecompositionRow rows[] = {{"Attention", with_mask_rows, 4, own_domain}};
  return rows;
}

std::span<const DecompositionRow> onnxruntime_forms() {
  static constexpr DecompositionRow rows[] = {
      {"Attention", multi_head_attention, 3, own_domain},
      {"Gelu", contrib_gelu, 1, own_domain},
      {"LayerNormalization", contrib_layer_normalization, 3, own_domain},
      {"RMSNormalization", contrib_rms_normalization, 1, own_domain},
      {"RotaryEmbedding", contrib_rotary_embedding, 1, own_domain},
      {"Swish", contrib_swish, 1, own_domain},
  };
  return rows;
}

}  // namespace ortool
