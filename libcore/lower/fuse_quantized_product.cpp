// Quantized Conv and MatMul become QuantizedConv and QLinearMatMul.
#include <algorithm>

#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/lower/session_nodes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// A bias in two forms: int32 in the scale of the sums, and float32. Null without a bias.
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
  std::optional<ProductBias> made = product_bias(bias, factor, input, weights);
  if (!made) return std::nullopt;
  return QuantizedBias{&editor.constant(std::move(made->units)),
                       &editor.constant(std::move(made->floats))};
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
