// Decomposition of FlexAttention: the graphs that modify scores and weights become nodes before and
// after the softmax, where the rules for attention masks find them.
#include "libcore/ops/nn/attention/flex_attention.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

constexpr std::int64_t opset_of_attention = 23;

Value& cast_from(Decomposition& out, Value& x, DataType from, DataType to) {
  return from == to ? x : cast_to(out, x, to);
}

/// The square root of the scale, by which queries and keys are multiplied both.
Value& root_of_scale(Decomposition& out, const FlexAttention& op, DataType element) {
  if (op.scale) return scalar(out, element, std::sqrt(static_cast<double>(*op.scale)));
  const PartialShape queries = out.shape(0);
  if (queries && queries->back().is_known()) {
    const double scale = 1 / std::sqrt(static_cast<double>(queries->back().number()));
    return scalar(out, element, std::sqrt(scale));
  }
  const DataType wide = element == DataType::float64 ? element : DataType::float32;
  Value& size = cast_to(out, sizes(out, *out.input(0), 3, 4), wide);
  Value& root = out.add("Reciprocal", {&out.add("Sqrt", {&out.add("Sqrt", {&size})})});
  return cast_from(out, root, wide, element);
}

/// Keys or values with each head as often as query heads read it.
Value& repeated_for_queries(Decomposition& out, std::int64_t input, Value& x) {
  const PartialShape queries = out.shape(0);
  const PartialShape keys = out.shape(input);
  if (queries && keys && are_equal((*queries)[1], (*keys)[1])) return x;
  Value& query_heads = sizes(out, *out.input(0), 1, 2);
  Value& repeats = out.add("Div", {&query_heads, &sizes(out, *out.input(input), 1, 2)});
  const std::int64_t ones[] = {1, 1};
  const auto concat = [&](std::vector<Value*> parts) -> Value& {
    return out.add("Concat", std::move(parts), plain_attributes({{"axis", std::int64_t{0}}}));
  };
  Value& wide = concat({&out.integers(ones), &repeats, &out.integers(ones)});
  Value& expanded = out.add("Expand", {&unsqueeze(out, x, 2), &wide});
  Value& target = concat(
      {&sizes(out, *out.input(input), 0, 1), &query_heads, &sizes(out, *out.input(input), 2, 4)});
  return out.add("Reshape", {&expanded, &target});
}

/// Without graphs it is Attention.
Results as_attention(Decomposition& out, const FlexAttention& op, DataType element) {
  std::vector<Attribute> attributes = out.attributes_but({"score_mod", "prob_mod"});
  const bool is_narrow = element == DataType::float16 || element == DataType::bfloat16;
  if (is_narrow && !op.softmax_precision) {
    const auto precision = static_cast<std::int64_t>(op.score_type(element));
    for (Attribute& each : plain_attributes({{"softmax_precision", precision}}))
      attributes.push_back(std::move(each));
  }
  return {&add_since(out, opset_of_attention, "Attention", out.inputs(), std::move(attributes))};
}

Results flex_attention(Decomposition& out) {
  const auto op = read_op<FlexAttention>(out.node());
  const DataType element = out.element(0);
  if (element == DataType::undefined) return {};
  if (op.change_scores == nullptr && op.change_weights == nullptr)
    return as_attention(out, op, element);
  if (out.opset() < opset_without_attribute("Slice", "starts")) return {};
  const DataType precision = op.score_type(element);
  Value& root = root_of_scale(out, op, element);
  Value& queries = out.add("Mul", {out.input(0), &root});
  Value& scaled = out.add("Mul", {out.input(1), &root});
  Value& keys = transpose(out, repeated_for_queries(out, 1, scaled), {0, 1, 3, 2});
  Value* scores = &cast_from(out, out.add("MatMul", {&queries, &keys}), element, precision);
  if (op.change_scores != nullptr) scores = out.add_graph(*op.change_scores, {scores}).front();
  Value* weights = &out.add("Softmax", {scores}, plain_attributes({{"axis", std::int64_t{-1}}}));
  if (op.change_weights != nullptr) weights = out.add_graph(*op.change_weights, {weights}).front();
  Value& values = cast_from(out, repeated_for_queries(out, 2, *out.input(2)), element, precision);
  Value& product = out.add("MatMul", {weights, &values});
  return {&cast_from(out, product, precision, element)};
}

}  // namespace

std::span<const DecompositionRow> flex_attention_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"FlexAttention", flex_attention, 1, preview_domain},
  };
  return rows;
}

}  // namespace ortool
