// MoE and QMoE in products of all experts, weighted by those that each token chose.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/weights/moe.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/target_tables.hpp"
#include "libcore/optimize/target/weight_codes.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

/// What the experts' layers are made of: weights of experts x columns x rows, biases.
struct ExpertNodes {
  Decomposition& out;
  const ExpertLayer& op;
  Value* weights[3] = {};
  Value* biases[3] = {};

  Value& layer(Value& x, std::size_t index) const {
    Value& product = out.add("MatMul", {&x, &transpose(out, *weights[index], {0, 2, 1})});
    if (biases[index] == nullptr) return product;
    return out.add("Add", {&product, &unsqueeze(out, *biases[index], 1)});
  }

  Value& activated_layer(Value& x) const {
    Value& made = layer(x, 0);
    if (op.activation == ExpertLayer::Activation::swiglu) return gated(made, x);
    Value* y = &made;
    if (op.activation == ExpertLayer::Activation::relu) y = &out.add("Relu", {y});
    if (op.activation == ExpertLayer::Activation::gelu)
      y = &out.add_own("Gelu", {y}, plain_attributes({{"approximate", std::string("tanh")}}));
    if (op.activation == ExpertLayer::Activation::silu)
      y = &out.add("Mul", {y, &out.add("Sigmoid", {y})});
    return weights[2] != nullptr ? out.add("Mul", {y, &layer(x, 2)}) : *y;
  }

  /// gate · sigmoid(alpha · gate) · (value + beta), with both limited.
  Value& gated(Value& made, Value& x) const {
    const DataType type = out.element(0);
    const auto number = [&](float value) -> Value& {
      return scalar(out, type, static_cast<double>(value));
    };
    Value* gate = &made;
    Value* value = nullptr;
    if (op.gate == ExpertLayer::GateForm::separate) {
      value = &layer(x, 2);
    } else if (op.gate == ExpertLayer::GateForm::interleaved) {
      const Integers pairs = {0, 0, -1, 2};
      Value& both = reshape(out, made, pairs);
      gate = &gather(out, both, integer_scalar(out, 0), 3);
      value = &gather(out, both, integer_scalar(out, 1), 3);
    } else {
      const Integers halves = {0, 0, 2, -1};
      Value& both = reshape(out, made, halves);
      gate = &gather(out, both, integer_scalar(out, 0), 2);
      value = &gather(out, both, integer_scalar(out, 1), 2);
    }
    if (std::isfinite(op.limit)) {
      gate = &out.add("Min", {gate, &number(op.limit)});
      value = &out.add("Clip", {value, &number(-op.limit), &number(op.limit)});
    }
    Value* steep = gate;
    if (op.alpha != 1.0F) steep = &out.add("Mul", {gate, &number(op.alpha)});
    if (op.beta != 0.0F) value = &out.add("Add", {value, &number(op.beta)});
    return out.add("Mul", {&out.add("Mul", {gate, &out.add("Sigmoid", {steep})}), value});
  }

  /// tokens x experts: the weights of those that are chosen, 0 for the others.
  Value& mixing(Value* given) const {
    Value& logits = *out.input(1);
    const Integers count = {op.chosen};
    const std::vector<Value*> top = out.add_many("TopK", {&logits, &out.integers(count)}, 2,
                                                 plain_attributes({{"axis", std::int64_t{1}}}));
    Value& all = given != nullptr
                     ? *given
                     : out.add("Softmax", {&logits}, plain_attributes({{"axis", std::int64_t{1}}}));
    Value* chosen =
        &out.add("GatherElements", {&all, top[1]}, plain_attributes({{"axis", std::int64_t{1}}}));
    if (op.normalizes)
      chosen = &out.add("Div", {chosen, &reduce(out, "ReduceSum", *chosen, {1}, true)});
    Value& zeros = out.add("Sub", {&all, &all});
    return out.add("ScatterElements", {&zeros, top[1], chosen},
                   plain_attributes({{"axis", std::int64_t{1}}}));
  }

  Results results(Value* given) const {
    Value& x = *out.input(0);
    const PartialShape shape = out.shape(0);
    const Integers tokens = {-1, shape->back().number()};
    Value& rows = shape->size() == 2 ? x : reshape(out, x, tokens);
    Value& inner = activated_layer(unsqueeze(out, rows, 0));
    Value& all = layer(inner, 1);
    Value& shares = unsqueeze(out, transpose(out, mixing(given), {1, 0}), 2);
    Value& y = reduce(out, "ReduceSum", out.add("Mul", {&all, &shares}), {0}, false);
    return {shape->size() == 2 ? &y : &out.add("Reshape", {&y, &out.add("Shape", {&x})})};
  }
};

/// Whether the forms of nodes that are used here exist, and the tokens' width is known.
bool has_plain_tokens(const Decomposition& out) {
  constexpr std::int64_t opset_of_scattering = 11;
  const PartialShape shape = out.shape(0);
  return shape && shape->size() >= 2 && shape->back().is_known() &&
         out.element(0) != DataType::undefined && out.opset() >= opset_of_scattering;
}

Results experts(Decomposition& out) {
  const auto op = read_op<MoE>(out.node());
  if (!has_plain_tokens(out)) return {};
  const ExpertNodes nodes = {out,
                             op,
                             {out.input(2), out.input(4), out.input(6)},
                             {out.input(3), out.input(5), out.input(7)}};
  return nodes.results(nullptr);
}

/// One of the three matrices of QMoE as codes and scales.
class QuantizedExperts {
 public:
  QuantizedExperts(Decomposition& out, const QMoE& op, std::int64_t layer)
      : out_(out),
        bits_(op.bits[layer]),
        codes_at_(2 + 3 * layer),
        zeros_at_(11 + layer),
        block_size_(op.block_size) {}

  bool is_given() const { return out_.input(codes_at_) != nullptr; }
  bool is_possible() const {
    const auto is_constant = [&](std::int64_t input) {
      return out_.input(input) != nullptr && out_.input(input)->is_constant();
    };
    const bool has_zeros = out_.input(zeros_at_) != nullptr;
    return !is_given() || (is_constant(codes_at_) && is_constant(codes_at_ + 1) &&
                           (!has_zeros || is_constant(zeros_at_)));
  }

  Value& weights() const {
    const Tensor& given = out_.input(codes_at_)->constant();
    const Shape& shape = given.shape();
    const std::int64_t rows = shape[2] * 8 / bits_;
    const std::int64_t size = block_size_ > 0 ? block_size_ : rows;
    const std::int64_t blocks = (rows + size - 1) / size;
    const bool has_zeros = out_.input(zeros_at_) != nullptr;
    const CodeType type(out_, bits_, !has_zeros);
    const auto copy = [&](const Tensor& from, std::int64_t count) {
      Tensor made = type.make(Shape({shape[0], shape[1], count}));
      // Zero points of whole rows are packed along the rows of an expert.
      const bool is_by_row = from.shape().rank() == 2;
      const std::int64_t codes = from.element_count() * 8 / bits_ / shape[0];
      const std::int64_t width = is_by_row ? 1 : codes / shape[1];
      const PackedCodes range = {from.bytes(), bits_};
      for (std::int64_t row = 0; row < shape[0] * shape[1]; ++row) {
        const std::int64_t first = row / shape[1] * codes + row % shape[1] * width;
        for (std::int64_t i = 0; i < count; ++i)
          type.set(made, row * count + i, range.at(first + i));
      }
      return made;
    };
    Value* zeros =
        has_zeros ? &out_.constant(copy(out_.input(zeros_at_)->constant(), blocks)) : nullptr;
    const Integers by_block = {shape[0], shape[1], blocks};
    Value& scales = out_.constant(
        convert(out_.input(codes_at_ + 1)->constant(), out_.element(0)).reshaped(Shape(by_block)));
    return dequantized_blocks(out_, out_.constant(copy(given, rows)), scales, zeros, 2, size);
  }

 private:
  Decomposition& out_;
  std::int64_t bits_;
  std::int64_t codes_at_;
  std::int64_t zeros_at_;
  std::int64_t block_size_;
};

Results quantized_experts(Decomposition& out) {
  const auto op = read_op<QMoE>(out.node());
  const QuantizedExperts layers[] = {{out, op, 0}, {out, op, 1}, {out, op, 2}};
  bool is_possible = has_plain_tokens(out);
  for (const QuantizedExperts& each : layers) is_possible = is_possible && each.is_possible();
  if (!is_possible) return {};
  ExpertNodes nodes = {out, op, {}, {out.input(4), out.input(7), out.input(10)}};
  for (std::size_t i = 0; i < 3; ++i)
    nodes.weights[i] = layers[i].is_given() ? &layers[i].weights() : nullptr;
  constexpr std::int64_t router_weights = 14;
  return nodes.results(out.input(router_weights));
}

}  // namespace

std::span<const DecompositionRow> plain_experts() {
  static constexpr DecompositionRow rows[] = {
      {"MoE", experts},
      {"QMoE", quantized_experts},
  };
  return rows;
}

}  // namespace ortool
