// Decompositions of the QOrdered operators: integer products and rounding to int8 where ONNX
// Runtime rounds.
#include "libcore/ops/contrib/quantized/qordered.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/quantized/qordered_attention.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/ordered_codes.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// The columns of the first input, or -1 where a layout needs them and they are not known.
std::int64_t columns_for(const Decomposition& out, MatrixLayout layout) {
  if (!OrderedCodes::has_tiles(layout)) return 0;
  const PartialShape shape = out.shape(0);
  return shape && !shape->empty() && shape->back().is_known() ? shape->back().number() : -1;
}

Results quantize_with_order(Decomposition& out) {
  const auto op = read_op<QuantizeWithOrder>(out.node());
  const std::int64_t columns = columns_for(out, op.to);
  if (out.rank(0) < 0 || columns < 0 || out.element(0) == DataType::undefined) return {};
  const OrderedCodes codes(out);
  Value& made = codes.quantized(widened(out, *out.input(0), out.element(0)), codes.scale(1));
  return {&codes.to_layout(made, out.rank(0), op.to, columns)};
}

Results dequantize_with_order(Decomposition& out) {
  const auto op = read_op<DequantizeWithOrder>(out.node());
  const std::int64_t columns = columns_for(out, op.from);
  if (out.rank(0) < 0 || columns < 0) return {};
  const OrderedCodes codes(out);
  Value& rows = codes.from_layout(*out.input(0), out.rank(0), op.from, columns);
  Value& made = codes.dequantized(rows, codes.scale(1));
  return {op.type == DataType::float32 ? &made : &cast_to(out, made, op.type)};
}

Results qordered_product(Decomposition& out) {
  if (out.rank(2) < 0) return {};
  static_cast<void>(read_op<QOrderedMatMul>(out.node()));
  const OrderedCodes codes(out);
  Value& b = codes.from_layout(*out.input(2), out.rank(2), MatrixLayout::columns);
  Value& y_scale = codes.scale(4);
  Value& factor = out.add("Div", {&out.add("Mul", {&codes.scale(1), out.input(3)}), &y_scale});
  Value* sum = &codes.scaled(out.add("MatMulInteger", {out.input(0), &b}), factor);
  if (out.input(5) != nullptr) sum = &out.add("Add", {sum, out.input(5)});
  if (out.input(6) != nullptr) {
    Value& share = out.add("Div", {&codes.scale(7), &y_scale});
    sum = &out.add("Add", {sum, &codes.scaled(*out.input(6), share)});
  }
  return {&codes.rounded(*sum)};
}

Results qordered_gelu(Decomposition& out) {
  const OrderedCodes codes(out);
  Value& y = out.add_own("Gelu", {&codes.dequantized(*out.input(0), codes.scale(1))});
  return {&codes.quantized(y, codes.scale(2))};
}

Results qordered_layer_normalization(Decomposition& out) {
  const auto op = read_op<QOrderedLayerNormalization>(out.node());
  const DataType element = out.element(2);
  if (element == DataType::undefined) return {};
  const OrderedCodes codes(out);
  std::vector<Value*> inputs = {&codes.dequantized(*out.input(0), codes.scale(1)),
                                &widened(out, *out.input(2), element)};
  if (out.input(3) != nullptr) inputs.push_back(&widened(out, *out.input(3), element));
  constexpr std::int64_t opset_of_normalization = 17;
  Value& y = add_since(out, opset_of_normalization, "LayerNormalization", inputs,
                       plain_attributes({{"axis", op.axis}, {"epsilon", op.epsilon}}));
  return {&codes.quantized(y, codes.scale(4))};
}

/// Attention by integer products, whose results are rounded to int8 one after the other.
class CodeAttention {
 public:
  CodeAttention(Decomposition& out, const QOrderedAttention& op)
      : out_(out), codes_(out), op_(op) {}

  Value& build() const {
    Value& query = projected(0, {0, 2, 1, 3});
    Value& key = projected(1, {0, 2, 3, 1});
    Value& value = projected(2, {0, 2, 1, 3});
    Value& scores_scale = codes_.scale(14);
    Value& factor =
        out_.add("Div", {&out_.add("Mul", {&codes_.scale(2), &codes_.scale(3)}), &scores_scale});
    Value& scores =
        codes_.rounded(codes_.scaled(out_.add("MatMulInteger", {&query, &key}), factor));
    Value& weights = codes_.quantized(softmax(codes_.dequantized(scores, scores_scale), query),
                                      codes_.scale(15));
    Value& share = out_.add(
        "Div", {&out_.add("Mul", {&codes_.scale(15), &codes_.scale(4)}), &codes_.scale(16)});
    Value& y = codes_.rounded(codes_.scaled(out_.add("MatMulInteger", {&weights, &value}), share));
    const std::int64_t joined[] = {0, 0, -1};
    return reshape(out_, transpose(out_, y, {0, 2, 1, 3}), joined);
  }

 private:
  /// Queries, keys or values in int8: batch x length x heads x size, with axes in this order.
  Value& projected(std::int64_t part, std::vector<std::int64_t> order) const {
    Value& weight = codes_.from_layout(*out_.input(5 + part), 2, MatrixLayout::columns);
    Value& sums = out_.add("MatMulInteger", {out_.input(0), &weight});
    Value& scale = codes_.scale(2 + part);
    Value& factor =
        out_.add("Div", {&out_.add("Mul", {&codes_.scale(1), out_.input(8 + part)}), &scale});
    Value& bias = out_.add("Div", {out_.input(11 + part), &scale});
    Value& made = codes_.rounded(out_.add("Add", {&codes_.scaled(sums, factor), &bias}));
    const std::int64_t heads[] = {0, 0, op_.heads, -1};
    return transpose(out_, reshape(out_, made, heads), std::move(order));
  }

  Value& hidden_where_not(Value& is_visible, Value& scores) const {
    return out_.add("Where",
                    {&is_visible, &scores,
                     &scalar(out_, DataType::float32, -std::numeric_limits<double>::infinity())});
  }

  Value& softmax(Value& scores, Value& query) const {
    Value& size = cast_to(out_, axis_size(out_, query, 3), DataType::float32);
    Value* given = &out_.add("Div", {&scores, &out_.add("Sqrt", {&size})});
    if (out_.input(17) != nullptr) {
      Value* mask = &cast_to(out_, *out_.input(17), DataType::boolean);
      if (out_.rank(17) == 2) mask = &unsqueeze(out_, *mask, 1);
      given = &hidden_where_not(unsqueeze(out_, *mask, 1), *given);
    }
    if (op_.is_causal) {
      Value& places = range_to(out_, axis_size(out_, query, 2));
      Value& is_ahead = out_.add("Greater", {&places, &unsqueeze(out_, places, 1)});
      given = &hidden_where_not(out_.add("Not", {&is_ahead}), *given);
    }
    return out_.add("Softmax", {given}, plain_attributes({{"axis", std::int64_t{3}}}));
  }

  Decomposition& out_;
  OrderedCodes codes_;
  const QOrderedAttention& op_;
};

Results qordered_attention(Decomposition& out) {
  const auto op = read_op<QOrderedAttention>(out.node());
  constexpr std::int64_t opset_of_range = 11;
  for (const std::int64_t weight : {5, 6, 7}) {
    if (out.rank(weight) != 2) return {};
  }
  if (out.opset() < opset_of_range || (out.input(17) != nullptr && out.rank(17) < 0)) return {};
  return {&CodeAttention(out, op).build()};
}

}  // namespace

std::span<const DecompositionRow> qordered_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"DequantizeWithOrder", dequantize_with_order},
      {"QOrderedAttention", qordered_attention},
      {"QOrderedGelu", qordered_gelu},
      {"QOrderedLayerNormalization", qordered_layer_normalization},
      {"QOrderedMatMul", qordered_product},
      {"QuantizeWithOrder", quantize_with_order},
  };
  return rows;
}

}  // namespace ortool
