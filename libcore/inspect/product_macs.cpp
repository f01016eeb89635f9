// MAC formulas for each kind of operator, from the shapes of its operands.
#include "libcore/inspect/product_macs.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/ops/contrib/fused/fused_matmul.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/flex_attention.hpp"

namespace ortool {
namespace {

/// Thrown when a formula needs a rank that is unknown: the count is abandoned.
struct NoRank {};

/// An operand in which each unknown dimension is replaced by a symbol of its own.
class Operand {
 public:
  explicit Operand(const Value* value) {
    if (value == nullptr || !value->type().is_tensor() || !value->type().shape) return;
    has_rank_ = true;
    const Dimensions& shape = *value->type().shape;
    const Dimension producer = Dimension::unknown_because(
        std::string(value->producer() != nullptr ? value->producer()->name() : value->name()));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      dimensions_.push_back(shape[i].is_unknown()
                                ? Dimension::symbol(format("{}[{}]", value->name(), i))
                                      .because(shape[i].or_because(producer))
                                : shape[i]);
    }
  }

  std::size_t rank() const { return dimensions_.size(); }
  bool has_rank() const { return has_rank_; }
  /// Negative axes count from the end. Throws NoRank outside the rank.
  const Dimension& operator[](std::int64_t axis) const {
    const auto count = static_cast<std::int64_t>(dimensions_.size());
    const std::int64_t index = axis < 0 ? axis + count : axis;
    if (!has_rank_ || index < 0 || index >= count) throw NoRank();
    return dimensions_[static_cast<std::size_t>(index)];
  }
  /// The product of the dimensions from `first` on.
  Cost elements(std::size_t first = 0) const {
    if (!has_rank_ || first > dimensions_.size()) throw NoRank();
    Cost cost{Dimension(1)};
    for (std::size_t i = first; i < dimensions_.size(); ++i) cost = cost.times(dimensions_[i]);
    return cost;
  }

 private:
  bool has_rank_ = false;
  Dimensions dimensions_;
};

/// a times the dimensions of b from `first` on.
Cost product(Cost a, const Operand& b, std::size_t first) {
  if (!b.has_rank() || first > b.rank()) throw NoRank();
  for (std::size_t i = first; i < b.rank(); ++i) a = a.times(b[static_cast<std::int64_t>(i)]);
  return a;
}

/// Each output element is a sum over the kernel window and the group's input channels.
Cost count_convolution(const Node& node, std::int64_t weights) {
  const Operand window(node.input(weights));
  if (window.rank() < 2) throw NoRank();
  return product(Operand(node.output(0)).elements(), window, 1);
}

/// Each input element contributes to a window of the group's output channels.
Cost count_transposed_convolution(const Node& node) {
  const Operand window(node.input(1));
  if (window.rank() < 2) throw NoRank();
  return product(Operand(node.input(0)).elements(), window, 1);
}

Cost count_matrix_product(const Node& node, std::int64_t right_input) {
  const Operand left(node.input(0));
  const Operand right(node.input(right_input));
  const bool is_gemm = node.op_type().ends_with("Gemm");
  const std::int64_t left_axis = is_gemm && integer_attribute(node, "transA", 0) != 0 ? 0 : -1;
  std::int64_t right_axis = right.rank() == 1 ? 0 : -2;
  if (is_gemm && integer_attribute(node, "transB", 0) != 0) right_axis = 1;
  // The contracted dimension occurs in both operands; either may be the known one.
  const bool right_is_known = right.has_rank() && right[right_axis].is_known();
  const Dimension depth = right_is_known ? right[right_axis] : left[left_axis];
  return Operand(node.output(0)).elements().times(depth);
}

/// Each element of the product is a sum over the left operand's last axis, or its first.
Cost count_row_product(const Node& node) {
  const bool is_transposed = integer_attribute(node, "transA", 0) != 0;
  const Dimension depth = Operand(node.input(0))[is_transposed ? 0 : -1];
  return Operand(node.output(0)).elements().times(depth);
}

/// Two products of the output's size, or one for each of three outputs.
Cost count_several_row_products(const Node& node) {
  if (node.op_type() == "MatMulNBitsMlp") return count_row_product(node).times(Dimension(2));
  const Dimension depth = Operand(node.input(0))[-1];
  Cost cost;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(3, node.output_count()); ++i) {
    if (node.output(i) != nullptr) cost.add(Operand(node.output(i)).elements().times(depth));
  }
  return cost;
}

/// Each token by all matrices of the experts chosen for it, which are `step` inputs apart.
Cost count_experts(const Node& node, std::int64_t step) {
  constexpr const char* bits[] = {"fc1_expert_weight_bits", "fc2_expert_weight_bits",
                                  "fc3_expert_weight_bits"};
  const Operand logits(node.input(1));
  const std::int64_t common = integer_attribute(node, "expert_weight_bits", 4);
  Cost weights;
  for (std::int64_t layer = 0; layer < 3; ++layer) {
    const std::int64_t input = 2 + layer * step;
    if (input >= node.input_count() || node.input(input) == nullptr) continue;
    const Operand matrix(node.input(input));
    const std::int64_t width = integer_attribute(node, bits[layer], common);
    const std::int64_t packed = node.op_type() == "QMoE" && width > 0 ? 8 / width : 1;
    weights.add(Cost{matrix[1]}.times(matrix[2]).times(Dimension(packed)));
  }
  return weights.times(logits[0]).times(Dimension(integer_attribute(node, "k", 1)));
}

/// The contracted dimension is where the operands' transposes leave it.
Cost count_transposed_product(const Node& node) {
  const Operand left(node.input(0));
  const Operand right(node.input(1));
  const auto depth_axis = [&](const Operand& operand, const char* transposes, const char* moves,
                              std::size_t from_end) {
    const auto axis_count = static_cast<std::int64_t>(operand.rank());
    if (axis_count < 2) return std::int64_t{0};
    const std::vector<std::int64_t> axes =
        FusedMatMul::axes(axis_count, integer_attribute(node, transposes, 0) != 0,
                          integer_attribute(node, moves, 0) != 0 && axis_count > 2);
    return axes[axes.size() - from_end];
  };
  const Dimension& right_depth = right[depth_axis(right, "transB", "transBatchB", 2)];
  const Dimension& left_depth = left[depth_axis(left, "transA", "transBatchA", 1)];
  return Operand(node.output(0))
      .elements()
      .times(right_depth.is_known() ? right_depth : left_depth);
}

/// Each row of one matrix with each row of the other.
Cost count_distances(const Node& node) {
  return Operand(node.output(0)).elements().times(Operand(node.input(0))[-1]);
}

/// At every step, each sequence is multiplied by all input and recurrence weights.
Cost count_recurrence(const Node& node) {
  const Operand data(node.input(0));
  Cost weights = Operand(node.input(1)).elements();
  weights.add(Operand(node.input(2)).elements());
  return weights.times(data[0]).times(data[1]);
}

/// Queries times keys, and weights times values.
Cost count_attention(const Node& node) {
  const Operand past(node.input(4));
  Dimension keys = Operand(node.input(1))[-2];
  if (past.has_rank()) keys = keys + past[-2];
  Cost rows = Operand(node.input(0)).elements();
  rows.add(Operand(node.output(0)).elements());
  return rows.times(keys, format("keys({})", node.name()));
}

/// Both products of com.microsoft's attention: each output element is a sum over the keys, and so
/// is about each element of the queries. `keys` is the present cache's length, or the keys' own.
Cost count_contrib_attention(const Node& node, const Dimension& keys) {
  return Operand(node.output(0)).elements().times(keys).times(Dimension(2));
}

Cost count_multi_head_attention(const Node& node) {
  const Operand present(node.output_count() > 1 ? node.output(1) : nullptr);
  if (present.has_rank()) return count_contrib_attention(node, present[2]);
  const Operand key(node.input(1));
  if (node.input(1) == nullptr) return count_contrib_attention(node, Operand(node.input(0))[1]);
  return count_contrib_attention(node, key[key.rank() == 4 ? 2 : 1]);
}

/// The projection to queries, keys and values, and their attention.
Cost count_projected_attention(const Node& node) {
  const Operand input(node.input(0));
  const Operand present(node.output_count() > 1 ? node.output(1) : nullptr);
  Cost cost = input.elements().times(Operand(node.input(1))[1]);
  cost.add(count_contrib_attention(node, present.has_rank() ? present[3] : input[1]));
  return cost;
}

/// Attention of packed sequences, as long as the longest may be: the places of tokens are one row
/// for each sequence.
Cost count_packed_attention(const Node& node) {
  if (node.op_type() == "PackedMultiHeadAttention")
    return count_contrib_attention(node, Operand(node.input(4))[1]);
  Cost cost = Operand(node.input(0)).elements().times(Operand(node.input(1))[1]);
  cost.add(count_contrib_attention(node, Operand(node.input(3))[1]));
  return cost;
}

/// Projections for all tokens, keys and values also for global ones, and attention to three
/// windows.
Cost count_longformer_attention(const Node& node) {
  const Operand input(node.input(0));
  Cost cost = input.elements().times(input[2]).times(Dimension(5));
  cost.add(count_contrib_attention(node, Dimension(3 * integer_attribute(node, "window", 1))));
  return cost;
}

/// Reads and updates the state of each head for each token; the delta rules read it once more.
Cost count_gated_delta_net(const Node& node) {
  const std::string_view rule = text_attribute(node, "update_rule", "gated_delta");
  const std::int64_t passes = rule.find("delta") != std::string::npos ? 3 : 2;
  const Dimension key_size =
      node.input(1) != nullptr ? Operand(node.input(1))[-1] : Operand(node.input(6))[3];
  return Operand(node.output(0)).elements().times(key_size).times(Dimension(passes));
}

/// Reads the state for each query head and updates it for each key head; the delta rules read it
/// once more.
Cost count_linear_attention(const Node& node) {
  const Operand query(node.input(0));
  const Operand value(node.input(2));
  const Dimension query_heads = integer_attribute(node, "q_num_heads", 1);
  const Dimension key_heads = integer_attribute(node, "kv_num_heads", 1);
  const std::string_view rule = text_attribute(node, "update_rule", "gated_delta");
  const std::int64_t passes = rule.find("delta") != std::string::npos ? 2 : 1;
  const Dimension key_size = floor_divide(query[2], query_heads);
  const Dimension value_size = floor_divide(value[2], key_heads);
  Cost heads{max(query_heads, key_heads) + key_heads * Dimension(passes)};
  return heads.times(query[0]).times(query[1]).times(key_size).times(value_size);
}

/// The product of all labels, once for each operand after the first; an ellipsis stands for the
/// dimensions without labels.
Cost count_einsum(const Node& node) {
  std::string equation(text_attribute(node, "equation", ""));
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const std::string left = equation.substr(0, equation.find("->"));
  Cost cost{Dimension(node.input_count() - 1)};
  std::set<char> seen;
  std::size_t widest_ellipsis = 0;
  Dimensions ellipsis;
  std::size_t start = 0;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const std::size_t end = std::min(left.find(',', start), left.size());
    const std::string labels = left.substr(std::min(start, left.size()), end - start);
    start = end + 1;
    const Operand operand(node.input(i));
    if (!operand.has_rank()) throw NoRank();
    const auto letters = static_cast<std::size_t>(
        std::count_if(labels.begin(), labels.end(), [](char c) { return c != '.'; }));
    if (letters > operand.rank()) throw NoRank();
    std::int64_t axis = 0;
    for (std::size_t at = 0; at < labels.size(); ++at) {
      if (labels[at] != '.') {
        if (seen.insert(labels[at]).second) cost = cost.times(operand[axis]);
        ++axis;
        continue;
      }
      const std::size_t width = operand.rank() - letters;
      at += 2;
      if (width >= widest_ellipsis) {
        widest_ellipsis = width;
        ellipsis.clear();
        for (std::size_t d = 0; d < width; ++d) {
          ellipsis.push_back(operand[axis + static_cast<std::int64_t>(d)]);
        }
      }
      axis += static_cast<std::int64_t>(width);
    }
  }
  for (const Dimension& dimension : ellipsis) cost = cost.times(dimension);
  return cost;
}

/// Each row of the data with each coefficient; support vectors with each feature.
Cost count_linear_model(const Node& node) {
  const bool has_supports = node.op_type().starts_with("SVM");
  const Attribute* attribute =
      node.find_attribute(has_supports ? "support_vectors" : "coefficients");
  const auto* numbers =
      attribute != nullptr ? std::get_if<std::vector<float>>(&attribute->value) : nullptr;
  if (numbers == nullptr) return Cost();
  const Operand data(node.input(0));
  const Dimension rows = data.rank() > 1 ? data[0] : Dimension(1);
  return Cost(static_cast<std::int64_t>(numbers->size())).times(rows);
}

/// The cause of an operand's unknown rank: the node recorded by inference, or this one.
std::string cause_of_no_rank(const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (value == nullptr || (value->type().is_tensor() && value->type().shape)) continue;
    if (!value->type().unknown_because().empty()) return value->type().unknown_because();
  }
  return std::string(node.name());
}

using Count = Cost (*)(const Node& node);

struct Row {
  std::string_view domain;
  std::string_view op_type;
  Count count;
};

constexpr Row rows[] = {
    {"", "Conv", [](const Node& node) { return count_convolution(node, 1); }},
    {"", "ConvInteger", [](const Node& node) { return count_convolution(node, 1); }},
    {"", "QLinearConv", [](const Node& node) { return count_convolution(node, 3); }},
    {"ortool", "QuantizedConv", [](const Node& node) { return count_convolution(node, 3); }},
    {"", "DeformConv", [](const Node& node) { return count_convolution(node, 1); }},
    {"", "CausalConvWithState", [](const Node& node) { return count_convolution(node, 1); }},
    {"", "ConvTranspose", count_transposed_convolution},
    {"", "MatMul", [](const Node& node) { return count_matrix_product(node, 1); }},
    {"", "MatMulInteger", [](const Node& node) { return count_matrix_product(node, 1); }},
    {"", "QLinearMatMul", [](const Node& node) { return count_matrix_product(node, 3); }},
    {"", "Gemm", [](const Node& node) { return count_matrix_product(node, 1); }},
    {"", "Einsum", count_einsum},
    {"", "LSTM", count_recurrence},
    {"", "GRU", count_recurrence},
    {"", "RNN", count_recurrence},
    {contrib_domain, "AttnLSTM", count_recurrence},
    {contrib_domain, "DynamicQuantizeLSTM", count_recurrence},
    {"", "Attention", count_attention},
    {preview_domain, "FlexAttention", count_attention},
    {"", "LinearAttention", count_linear_attention},
    {contrib_domain, "Attention", count_projected_attention},
    {contrib_domain, "QAttention", count_projected_attention},
    {contrib_domain, "DecoderMaskedSelfAttention", count_projected_attention},
    {contrib_domain, "LongformerAttention", count_longformer_attention},
    {contrib_domain, "PackedAttention", count_packed_attention},
    {contrib_domain, "PackedMultiHeadAttention", count_packed_attention},
    {contrib_domain, "MultiHeadAttention", count_multi_head_attention},
    {contrib_domain, "DecoderMaskedMultiHeadAttention", count_multi_head_attention},
    {contrib_domain, "GroupQueryAttention", count_multi_head_attention},
    {contrib_domain, "SparseAttention", count_multi_head_attention},
    {contrib_domain, "CausalConvWithState",
     [](const Node& node) { return count_convolution(node, 1); }},
    {contrib_domain, "VarlenCausalConvWithState",
     [](const Node& node) { return count_convolution(node, 1); }},
    {contrib_domain, "GatedDeltaNet", count_gated_delta_net},
    {contrib_domain, "LinearAttention", count_linear_attention},
    {"ai.onnx.ml", "LinearClassifier", count_linear_model},
    {"ai.onnx.ml", "LinearRegressor", count_linear_model},
    {"ai.onnx.ml", "SVMClassifier", count_linear_model},
    {"ai.onnx.ml", "SVMRegressor", count_linear_model},
    {contrib_domain, "DynamicQuantizeMatMul", count_row_product},
    {contrib_domain, "MatMulBlockQuantizedFp4Weight", count_row_product},
    {contrib_domain, "MatMulBlockQuantizedFp8Weight", count_row_product},
    {contrib_domain, "MatMulBnb4", count_row_product},
    {contrib_domain, "MatMulFpQ4", count_row_product},
    {contrib_domain, "MatMulInteger16", count_row_product},
    {contrib_domain, "MatMulIntegerToFloat", count_row_product},
    {contrib_domain, "MatMulNBits", count_row_product},
    {contrib_domain, "MatMulNBitsMlp", count_several_row_products},
    {contrib_domain, "MatMulNBitsQkv", count_several_row_products},
    {contrib_domain, "MoE", [](const Node& node) { return count_experts(node, 2); }},
    {contrib_domain, "QGemm", count_row_product},
    {contrib_domain, "QLinearConv", [](const Node& node) { return count_convolution(node, 3); }},
    {contrib_domain, "QMoE", [](const Node& node) { return count_experts(node, 3); }},
    {contrib_domain, "CDist", count_distances},
    {contrib_domain, "ConvTransposeWithDynamicPads", count_transposed_convolution},
    {contrib_domain, "FusedConv", [](const Node& node) { return count_convolution(node, 1); }},
    {contrib_domain, "FusedGemm", [](const Node& node) { return count_matrix_product(node, 1); }},
    {contrib_domain, "FusedMatMul", count_transposed_product},
    {contrib_domain, "FusedMatMulActivation", count_transposed_product},
    {contrib_domain, "GemmFastGelu", count_transposed_product},
    {contrib_domain, "NhwcConv", [](const Node& node) { return count_convolution(node, 1); }},
    {contrib_domain, "NhwcFusedConv", [](const Node& node) { return count_convolution(node, 1); }},
    {contrib_domain, "SparseToDenseMatMul", count_transposed_product},
    {contrib_domain, "TransposeMatMul", count_transposed_product},
    {nchwc_domain, "Conv", [](const Node& node) { return count_convolution(node, 1); }},
    {provider_nhwc_domain, "Conv", [](const Node& node) { return count_convolution(node, 1); }},
    {provider_nhwc_domain, "ConvTranspose", count_transposed_convolution},
    {provider_nhwc_domain, "QLinearConv",
     [](const Node& node) { return count_convolution(node, 3); }},
};

}  // namespace

std::optional<Cost> count_product_macs(const Node& node) {
  for (const Row& row : rows) {
    if (row.op_type != node.op_type() || row.domain != node.domain()) continue;
    try {
      return row.count(node);
    } catch (const NoRank&) {
      return Cost(Dimension::unknown_because(cause_of_no_rank(node)),
                  format("macs({})", node.name()));
    }
  }
  return std::nullopt;
}

}  // namespace ortool
