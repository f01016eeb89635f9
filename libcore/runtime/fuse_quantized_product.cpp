// Conv and MatMul between bytes become QuantizedConv and QLinearMatMul.
#include <algorithm>
#include <cmath>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/runtime/quantized_cluster.hpp"
#include "libcore/runtime/session_nodes.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t opset_with_byte_clip = 12;

/// A bias twice: in units of the product of both scales, and as floats. None has none.
struct QuantizedBias {
  Value* units = nullptr;
  Value* floats = nullptr;

  void append_to(std::vector<Value*>& inputs) const {
    if (units != nullptr) inputs.insert(inputs.end(), {units, floats});
  }
};

/// Nothing when the bias is computed or too large.
std::optional<QuantizedBias> quantized_bias(const ClusterEditor& editor, const Value* bias,
                                            float factor, const Quantization& input,
                                            const QuantizedWeights& weights) {
  if (bias == nullptr) return QuantizedBias{};
  const std::optional<Quantization> by = dequantized(bias);
  const Value* numbers = by ? by->bytes : bias;
  if (!numbers->is_constant()) return std::nullopt;
  const Tensor& given = numbers->constant();
  if (!by && given.type() != DataType::float32) return std::nullopt;
  const std::int64_t count = given.element_count();
  // One for each channel, or one for all; a matrix of one row is such a list too.
  if (count != weights.channels && count != 1) return std::nullopt;
  if (given.shape().rank() > 0 && given.shape()[given.shape().rank() - 1] != count)
    return std::nullopt;
  Tensor result(DataType::int32, Shape({weights.channels}));
  Tensor floats(DataType::float32, Shape({weights.channels}));
  for (std::int64_t i = 0; i < weights.channels; ++i) {
    const std::int64_t at = count == 1 ? 0 : i;
    double value = element_as_double(given, at);
    float rounded = static_cast<float>(value);
    if (by) {
      value -= static_cast<double>(by->zero_at(at));
      rounded = static_cast<float>(value) * by->scale_at(at);
      value *= static_cast<double>(by->scale_at(at));
    }
    floats.mutable_data<float>()[static_cast<std::size_t>(i)] = factor * rounded;
    const double unit =
        static_cast<double>(input.scale_at(0)) * static_cast<double>(weights.by.scale_at(i));
    const double whole = std::nearbyint(value * static_cast<double>(factor) / unit);
    constexpr double most = 1 << 30;
    if (!(std::abs(whole) <= most)) return std::nullopt;
    result.mutable_data<std::int32_t>()[static_cast<std::size_t>(i)] =
        static_cast<std::int32_t>(whole);
  }
  return QuantizedBias{&editor.constant(std::move(result)), &editor.constant(std::move(floats))};
}

Tensor byte_scalar(DataType type, std::int64_t value) {
  Tensor result(type, Shape{});
  set_element(result, 0, value);
  return result;
}

/// The value kept to the bounds; itself where the type does so.
Value& clip_bytes(const ClusterEditor& editor, Value& value, const ByteBounds& bounds,
                  DataType type) {
  const ByteBounds natural = ByteBounds::of(type);
  if (bounds.low == natural.low && bounds.high == natural.high) return value;
  Value& low = editor.constant(byte_scalar(type, bounds.low));
  Value& high = editor.constant(byte_scalar(type, bounds.high));
  return editor.add("Clip", "", {&value, &low, &high});
}

bool can_clip(const ClusterEditor& editor, const ByteBounds& bounds, DataType type) {
  const ByteBounds natural = ByteBounds::of(type);
  return (bounds.low == natural.low && bounds.high == natural.high) ||
         editor.graph().opset("") >= opset_with_byte_clip;
}

/// A product that is being rewritten.
struct ProductEnd {
  const Node& node;
  const Quantization& to;
  ByteBounds bounds;
};

bool fuse_conv(ClusterEditor& editor, const ProductEnd& end) {
  const std::optional<Quantization> image = dequantized_bytes(end.node.input(0));
  const std::optional<QuantizedWeights> weights = quantized_weights(end.node.input(1), 0, 3);
  if (!image || !weights || !weights->has_safe_sums() || !has_plain_attributes(end.node))
    return false;
  const std::optional<QuantizedBias> bias =
      quantized_bias(editor, end.node.input(2), 1.0F, *image, *weights);
  if (!bias) return false;
  std::vector<Value*> inputs = {image->bytes,
                                image->scale,
                                &editor.zero_point_of(*image),
                                weights->by.bytes,
                                weights->by.scale,
                                &editor.zero_point_of(weights->by),
                                end.to.scale,
                                &editor.zero_point_of(end.to)};
  bias->append_to(inputs);
  Value& result = editor.add("QuantizedConv", own_domain, inputs, &end.node);
  editor.finish(clip_bytes(editor, result, end.bounds, end.to.type));
  return true;
}

bool fuse_matmul(ClusterEditor& editor, const ProductEnd& end) {
  const std::optional<Quantization> a = dequantized_bytes(end.node.input(0));
  std::optional<Quantization> b = dequantized_bytes(end.node.input(1));
  const std::optional<QuantizedWeights> weights = quantized_weights(end.node.input(1), 1, 2);
  if (!b && weights && weights->by.bytes->constant().shape().rank() == 2) b = weights->by;
  if (!a || !b) return false;
  const Shape& factor = b->bytes->constant().shape();
  if (factor.rank() > 0 &&
      factor[std::max<std::int64_t>(0, factor.rank() - 2)] > most_byte_products)
    return false;
  Value& result =
      editor.add("QLinearMatMul", "",
                 {a->bytes, a->scale, &editor.zero_point_of(*a), b->bytes, b->scale,
                  &editor.zero_point_of(*b), end.to.scale, &editor.zero_point_of(end.to)},
                 &end.node);
  editor.finish(clip_bytes(editor, result, end.bounds, end.to.type));
  return true;
}

}  // namespace

bool fuse_quantized_product(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Value* value = end.input(0);
  const ByteBounds bounds = peel_clips(value, to);
  const Node* node = only_maker(value);
  if (node == nullptr || !node->domain().empty() || !can_clip(editor, bounds, to.type))
    return false;
  const ProductEnd product{*node, to, bounds};
  if (node->op_type() == "Conv") return fuse_conv(editor, product);
  return node->op_type() == "MatMul" && fuse_matmul(editor, product);
}

}  // namespace ortool
