// QDQ clusters to ONNX's integer operators: QLinearConv, QLinearMatMul, MatMulInteger and others.
#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/precision/quantized_product.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// QuantizeLinear of an operator's result, with or without Relu or Clip between.
Pattern quantized_result(const Pattern& result) {
  const Pattern clipped =
      any_of({op("Relu", {result}), op("Clip", {result, maybe(any()), maybe(any())}), result});
  return op("QuantizeLinear", {clipped, any(), maybe(any())});
}

/// The range of quantized values implied by Relu and Clip before the end.
Int8Bounds bounds_before_end(const Match& match, const Quantization& to) {
  const Value* value = match.root().input(0);
  return peel_clips(value, to);
}

Value& zero_point_of(Replacement& replacement, const Quantization& by) {
  if (by.zero_point != nullptr) return *by.zero_point;
  Tensor zeros(by.type, by.scales().shape());
  std::fill_n(zeros.mutable_bytes(), zeros.size_bytes(), std::byte{0});
  return replacement.constant(std::move(zeros));
}

Tensor one_int8(DataType type, std::int64_t value) {
  Tensor result(type, Shape{});
  set_element(result, 0, value);
  return result;
}

Value& keep_to(Replacement& replacement, Value& bytes, const Int8Bounds& bounds, DataType type) {
  if (bounds.are_of(type)) return bytes;
  Value& low = replacement.constant(one_int8(type, bounds.low));
  Value& high = replacement.constant(one_int8(type, bounds.high));
  return replacement.add("Clip", {&bytes, &low, &high});
}

/// The replacement also stands for the producers of the float inputs of `node`.
void stand_for_inputs(Replacement& replacement, const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input != nullptr && dequantized(input)) replacement.stands_for(*input->producer());
  }
}

NewAttributes plain_attributes_of(const Node& node) {
  NewAttributes attributes;
  for (const Attribute& attribute : node.attributes()) {
    std::visit(
        [&](const auto& value) {
          using Held = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Held, std::int64_t> || std::is_same_v<Held, float> ||
                        std::is_same_v<Held, std::string> ||
                        std::is_same_v<Held, std::vector<std::int64_t>>)
            attributes.push_back({attribute.name, value});
        },
        attribute.value);
  }
  return attributes;
}

/// The conditions on all products, whatever becomes of their sums. Other runtimes do not support
/// int8 times uint8.
Verdict has_int8_operands(const Quantization& a, DataType b) {
  if (a.type == DataType::int8 && b == DataType::uint8)
    return no("its weights are uint8, but the other operand is int8");
  return yes();
}

Verdict has_int8_end(const Match& match, const Quantization& from) {
  const std::optional<Quantization> to = quantized(match.root());
  if (!to) return no("its result is not quantized to 8 bits by one positive constant scale");
  if (to->type != from.type) return no("its 8-bit input and output have different types");
  if (!can_clip_bytes(match.graph(), bounds_before_end(match, *to), to->type))
    return no("Clip of 8-bit integers was introduced in opset 12");
  return yes();
}

Verdict can_be_qlinear_conv(const Match& match) {
  std::string why;
  const std::optional<QuantizedConvOperands> operands = quantized_conv(match.node("product"), &why);
  if (!operands) return no(std::move(why));
  const QuantizedWeights& weights = operands->weights;
  for (std::int64_t i = 1; i < weights.channels; ++i) {
    if (weights.by.zero_at(i) != weights.by.zero_at(0))
      return no("its weights have one zero point per channel");
  }
  const Quantization& x = operands->image;
  if (Verdict verdict = has_int8_operands(x, weights.by.type); !verdict.is_yes) return verdict;
  return has_int8_end(match, x);
}

Verdict has_int8_factors(const Node& product) {
  std::string why;
  const std::optional<QuantizedFactors> factors = quantized_factors(product, &why);
  if (!factors) return no(std::move(why));
  if (!factors->depth || *factors->depth > max_int8_products)
    return no("its sums may overflow 32 bits");
  return has_int8_operands(factors->a, factors->b.type);
}

Verdict can_be_qlinear_matmul(const Match& match) {
  const Node& product = match.node("product");
  if (Verdict verdict = has_int8_factors(product); !verdict.is_yes) return verdict;
  return has_int8_end(match, *dequantized_bytes(product.input(0)));
}

Verdict can_be_matmul_integer(const Match& match) {
  const Node& product = match.root();
  if (Verdict verdict = has_int8_factors(product); !verdict.is_yes) return verdict;
  if (product.op_type() == "MatMul") return yes();
  const auto gemm = read_op<Gemm>(product);
  if (gemm.transpose_a || (gemm.beta != 1.0F && product.input(2) != nullptr))
    return no("it transposes its left operand or scales what it adds");
  if (gemm.transpose_b && constant_of(*dequantized(product.input(1))->bytes) == nullptr)
    return no("it transposes a right operand that is computed");
  return yes();
}

/// One scale per column of the sums, or one for all.
Tensor sum_scales(const Quantization& a, const Quantization& b, float factor) {
  Tensor scales(DataType::float32, b.scales().shape());
  for (std::int64_t i = 0; i < scales.element_count(); ++i)
    scales.mutable_data<float>()[static_cast<std::size_t>(i)] =
        factor * a.scale_at(0) * b.scale_at(i);
  return scales;
}

bool has_zero_points(const Quantization& by) {
  for (std::int64_t i = 0; i < by.scales().element_count(); ++i) {
    if (by.zero_at(i) != 0) return true;
  }
  return false;
}

/// The addend of a Gemm: floats as they are, quantized constants dequantized.
Value& added_value(Replacement& replacement, Value& added) {
  const std::optional<Quantization> by = dequantized(&added);
  const Tensor* codes = by ? constant_of(*by->bytes) : nullptr;
  if (codes == nullptr || codes->shape().rank() > 1) return added;
  Tensor floats(DataType::float32, codes->shape());
  for (std::int64_t i = 0; i < floats.element_count(); ++i)
    floats.mutable_data<float>()[static_cast<std::size_t>(i)] =
        static_cast<float>(element_as_int64(*codes, i) - by->zero_at(i)) * by->scale_at(i);
  return replacement.constant(std::move(floats));
}

Value& replace_by_integers(Replacement& replacement) {
  const Node& product = replacement.match().root();
  const QuantizedFactors factors = *quantized_factors(product);
  const Quantization& a = factors.a;
  const Quantization& b = factors.b;
  stand_for_inputs(replacement, product);
  Value* right = b.bytes;
  float factor = 1.0F;
  if (product.op_type() == "Gemm") {
    const auto gemm = read_op<Gemm>(product);
    factor = gemm.alpha;
    if (gemm.transpose_b) right = &replacement.constant(transposed_bytes(*constant_of(*b.bytes)));
  }
  std::vector<Value*> inputs = {a.bytes, right, nullptr, nullptr};
  if (has_zero_points(a)) inputs[2] = a.zero_point;
  if (has_zero_points(b)) inputs[3] = b.zero_point;
  Value& sums = replacement.add("MatMulInteger", inputs);
  Value& floats =
      replacement.add("Cast", {&sums}, {{"to", static_cast<std::int64_t>(DataType::float32)}});
  Value& scales = replacement.constant(sum_scales(a, b, factor));
  Value& scaled = replacement.add("Mul", {&floats, &scales});
  if (product.op_type() == "MatMul" || product.input(2) == nullptr) return scaled;
  return replacement.add("Add", {&scaled, &added_value(replacement, *product.input(2))});
}

bool takes_nearest(const Node& resize) {
  return read_op<Resize>(resize).mode == Resampling::Mode::nearest;
}

Verdict can_move_bytes(const Match& match) {
  const Node& move = match.node("moved");
  const std::optional<Quantization> to = quantized(match.root());
  if (!to) return no("its result is not quantized to 8 bits by one positive constant scale");
  const bool is_concat = move.op_type() == "Concat";
  for (std::int64_t i = 0; i < (is_concat ? move.input_count() : 1); ++i) {
    const std::optional<Quantization> from = dequantized_bytes(move.input(i));
    if (!from || !from->is_like(*to))
      return no("its input is not dequantized from 8 bits by the scale of its result");
  }
  if (move.output_count() > 1 && move.output(1) != nullptr) return no("it has a second output");
  if (move.op_type() == "Resize" && !takes_nearest(move)) return no("it computes new values");
  if (!is_concat && match.graph().opset("") < opset_of_type("MaxPool", "X", DataType::uint8))
    return no("it accepts 8-bit integers from opset 12 on");
  if (!can_clip_bytes(match.graph(), bounds_before_end(match, *to), to->type))
    return no("Clip of 8-bit integers was introduced in opset 12");
  return yes();
}

/// The inputs of an operator, with int8 values instead of the floats they are dequantized to.
std::vector<Value*> int8_inputs(const Node& node) {
  const bool is_concat = node.op_type() == "Concat";
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const bool is_moved = i == 0 || is_concat;
    inputs.push_back(is_moved ? dequantized_bytes(node.input(i))->bytes : node.input(i));
  }
  return inputs;
}

Pattern moved_value() {
  return any_of({any_op("Concat"), any_op("MaxPool"), any_op("Resize"),
                 any_op(OpTrait::data_movement)})
      .as("moved");
}

}  // namespace

Rule fuse_qlinear_conv() {
  return {.name = "fuse-qlinear-conv",
          .summary =
              "QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(w), b)) -> QLinearConv; a "
              "Relu or Clip before the QuantizeLinear becomes integer bounds",
          .pattern = quantized_result(any_op("Conv").as("product")),
          .makes = {"QLinearConv"},
          .where = can_be_qlinear_conv,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Node& conv = match.node("product");
            QuantizedConvOperands operands = *quantized_conv(conv);
            const Quantization& x = operands.image;
            const QuantizedWeights& weights = operands.weights;
            const Quantization to = *quantized(match.root());
            stand_for_inputs(replacement, conv);
            std::vector<Value*> inputs = {x.bytes,
                                          x.scale,
                                          &zero_point_of(replacement, x),
                                          weights.by.bytes,
                                          weights.by.scale,
                                          &zero_point_of(replacement, weights.by),
                                          to.scale,
                                          &zero_point_of(replacement, to)};
            if (operands.bias)
              inputs.push_back(&replacement.constant(std::move(operands.bias->units)));
            Value& result = replacement.add("QLinearConv", inputs, plain_attributes_of(conv));
            return keep_to(replacement, result, bounds_before_end(match, to), to.type);
          }};
}

Rule fuse_qlinear_matmul() {
  return {.name = "fuse-qlinear-matmul",
          .summary =
              "QuantizeLinear(MatMul(DequantizeLinear(a), DequantizeLinear(b))) -> QLinearMatMul; "
              "a Relu or Clip before the QuantizeLinear becomes integer bounds",
          .pattern = quantized_result(any_op("MatMul").as("product")),
          .makes = {"QLinearMatMul"},
          .where = can_be_qlinear_matmul,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Node& product = match.node("product");
            const QuantizedFactors factors = *quantized_factors(product);
            const Quantization& a = factors.a;
            const Quantization& b = factors.b;
            const Quantization to = *quantized(match.root());
            stand_for_inputs(replacement, product);
            Value& result =
                replacement.add("QLinearMatMul", {a.bytes, a.scale, &zero_point_of(replacement, a),
                                                  b.bytes, b.scale, &zero_point_of(replacement, b),
                                                  to.scale, &zero_point_of(replacement, to)});
            return keep_to(replacement, result, bounds_before_end(match, to), to.type);
          }};
}

Rule fuse_matmul_integer() {
  return {.name = "fuse-matmul-integer",
          .summary =
              "MatMul or Gemm of DequantizeLinear(a) and DequantizeLinear(b) -> MatMulInteger, "
              "with its sums cast, scaled and biased",
          .pattern = any_of({any_op("MatMul"), any_op("Gemm")}),
          .makes = {"MatMulInteger"},
          .where = can_be_matmul_integer,
          .replace = replace_by_integers};
}

Rule move_byte_windows() {
  return {.name = "fuse-qdq-windows",
          .summary =
              "QuantizeLinear(move(DequantizeLinear(x))) with one scale -> move(x), for Concat, "
              "MaxPool, nearest Resize, DepthToSpace and SpaceToDepth",
          .pattern = quantized_result(moved_value()),
          .where = can_move_bytes,
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Node& move = match.node("moved");
            const Quantization to = *quantized(match.root());
            stand_for_inputs(replacement, move);
            Value& moved = replacement.add_like(move, int8_inputs(move));
            return keep_to(replacement, moved, bounds_before_end(match, to), to.type);
          }};
}

}  // namespace ortool
