// Quantized Conv and MatMul become QuantizedConv and QLinearMatMul.
#include "libcore/lower/node_predicates.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {
namespace {

/// A product that is being rewritten.
struct ProductEnd {
  const Node& node;
  const Quantization& to;
  Int8Bounds bounds;
};

bool fuse_conv(ClusterEditor& editor, const ProductEnd& end) {
  std::optional<QuantizedConvOperands> operands = quantized_conv(end.node);
  if (!operands || !has_plain_attributes(end.node)) return false;
  const Quantization& image = operands->image;
  const Quantization& weights = operands->weights.by;
  std::vector<Value*> inputs = {image.bytes,
                                image.scale,
                                &editor.zero_point_of(image),
                                weights.bytes,
                                weights.scale,
                                &editor.zero_point_of(weights),
                                end.to.scale,
                                &editor.zero_point_of(end.to)};
  if (operands->bias) {
    // In two forms: int32 in the scale of the sums, and float32.
    inputs.push_back(&editor.constant(std::move(operands->bias->units)));
    inputs.push_back(&editor.constant(std::move(operands->bias->floats)));
  }
  Value& result = editor.add("QuantizedConv", own_domain, inputs, &end.node);
  editor.finish(clip_bytes(editor, result, end.bounds, end.to.type));
  return true;
}

bool fuse_matmul(ClusterEditor& editor, const ProductEnd& end) {
  const std::optional<QuantizedFactors> factors = quantized_factors(end.node);
  if (!factors || (factors->depth && *factors->depth > max_int8_products)) return false;
  const Quantization& a = factors->a;
  const Quantization& b = factors->b;
  Value& result =
      editor.add("QLinearMatMul", "",
                 {a.bytes, a.scale, &editor.zero_point_of(a), b.bytes, b.scale,
                  &editor.zero_point_of(b), end.to.scale, &editor.zero_point_of(end.to)},
                 &end.node);
  editor.finish(clip_bytes(editor, result, end.bounds, end.to.type));
  return true;
}

}  // namespace

bool fuse_quantized_product(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Value* value = end.input(0);
  const Int8Bounds bounds = peel_clips(value, to);
  const Node* node = only_producer(value);
  if (node == nullptr || !node->domain().empty() ||
      !can_clip_bytes(editor.graph(), bounds, to.type))
    return false;
  const ProductEnd product{*node, to, bounds};
  if (node->op_type() == "Conv") return fuse_conv(editor, product);
  return node->op_type() == "MatMul" && fuse_matmul(editor, product);
}

}  // namespace ortool
