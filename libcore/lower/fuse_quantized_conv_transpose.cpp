// Quantized ConvTranspose without overlapping windows: a 1x1 convolution with a channel per output
// position, followed by DepthToSpace.
#include <algorithm>
#include <vector>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv_transpose.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

bool are_all(const std::vector<std::int64_t>& numbers, std::int64_t wanted) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [wanted](std::int64_t each) { return each == wanted; });
}

/// The side of the square that each pixel expands to; nothing when windows overlap, leave gaps or
/// are cropped.
std::optional<std::int64_t> square_of(const Node& node, const Shape& weights) {
  if (weights.rank() != 4 || weights[2] != weights[3]) return std::nullopt;
  const auto op = read_op<ConvTranspose>(node);
  const std::int64_t side = weights[2];
  const bool is_tight = op.window.strides.size() == 2 && are_all(op.window.strides, side);
  const bool is_plain = op.groups == 1 && op.window.auto_pad == AutoPad::not_set &&
                        are_all(op.window.pads, 0) && are_all(op.window.dilations, 1) &&
                        are_all(op.transposed.output_padding, 0) &&
                        op.transposed.output_shape.empty();
  if (side < 2 || !is_tight || !is_plain) return std::nullopt;
  return side;
}

/// Transposes weights from C × M × side × side to M·side² × C × 1 × 1.
Tensor transposed_weights(const Tensor& weights, std::int64_t places, MemoryCap* cap) {
  const std::int64_t inputs = weights.shape()[0];
  const std::int64_t outputs = weights.shape()[1] * places;
  Tensor transposed(weights.type(), Shape({outputs, inputs, 1, 1}), cap);
  for (std::int64_t i = 0; i < inputs; ++i) {
    for (std::int64_t j = 0; j < outputs; ++j)
      transposed.mutable_bytes()[j * inputs + i] = weights.bytes()[i * outputs + j];
  }
  return transposed;
}

/// A vector with each element repeated `times` times.
Tensor repeated(const Tensor& list, std::int64_t times) {
  const std::int64_t size = element_bits(list.type()) / 8;
  Tensor result(list.type(), Shape({list.element_count() * times}));
  for (std::int64_t i = 0; i < result.element_count(); ++i)
    std::copy_n(list.bytes() + i / times * size, size, result.mutable_bytes() + i * size);
  return result;
}

}  // namespace

bool fuse_quantized_conv_transpose(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Value* value = end.input(0);
  const Int8Bounds bounds = peel_clips(value, to);
  const Node* node = only_producer(value);
  if (node == nullptr || !node->domain().empty() || node->op_type() != "ConvTranspose" ||
      !has_plain_attributes(*node) || !can_clip_bytes(editor.graph(), bounds, to.type) ||
      editor.graph().opset("") < opset_of_attribute("DepthToSpace", "mode"))
    return false;
  const std::optional<Quantization> image = dequantized_bytes(node->input(0));
  const std::optional<QuantizedWeights> weights = quantized_weights(node->input(1), 1, 4);
  if (!image || !weights || !weights->has_safe_sums()) return false;
  const std::optional<std::int64_t> side = square_of(*node, weights->bytes().shape());
  if (!side) return false;
  const std::int64_t places = *side * *side;
  // A scalar stays a scalar.
  const auto by_place = [places](const Tensor& list) {
    return list.element_count() == 1 ? list : repeated(list, places);
  };
  std::vector<Value*> inputs = {
      image->bytes,
      image->scale,
      &editor.zero_point_of(*image),
      &editor.constant(transposed_weights(weights->bytes(), places, editor.cap())),
      &editor.constant(by_place(weights->by.scales())),
      &editor.constant(by_place(editor.zero_point_of(weights->by).constant())),
      to.scale,
      &editor.zero_point_of(to)};
  if (node->input(2) != nullptr) {
    const auto bias = product_bias(node->input(2), *image, *weights);
    if (!bias) return false;
    inputs.push_back(&editor.constant(repeated(bias->units, places)));
    inputs.push_back(&editor.constant(repeated(bias->floats, places)));
  }
  Value& squares = editor.add("QuantizedConv", own_domain, inputs);
  Value& result = editor.add("DepthToSpace", "", {&clip_bytes(editor, squares, bounds, to.type)});
  set_attribute(ClusterEditor::producer(result), "blocksize", *side);
  set_attribute(ClusterEditor::producer(result), "mode", "CRD");
  editor.finish(result);
  return true;
}

}  // namespace ortool
