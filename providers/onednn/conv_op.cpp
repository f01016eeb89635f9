// Conv operators: spatial axes are right-aligned in three.
#include "providers/onednn/conv_op.hpp"

#include "libcore/ops/catalog.hpp"

namespace ortool::onednn {
namespace {

/// Large enough for most kernels, and typical for the choice of code.
constexpr std::int64_t likely_pixels = 56;

}  // namespace

ConvOp::ConvOp(const Node& node) : is_transposed_(node.op_type() == "ConvTranspose") {
  if (is_transposed_) {
    transpose_ = read_op<ConvTranspose>(node);
  } else {
    conv_ = read_op<Conv>(node);
  }
}

ConvShape ConvOp::place(const Shape& x, const Shape& weights) const {
  constexpr std::size_t max_axes = 3;
  const std::vector<WindowAxis> window =
      is_transposed_ ? transpose_.place(x, weights) : conv_.place(x, weights);
  ORTOOL_CHECK(window.size() <= max_axes);
  ConvShape shape;
  shape.is_transposed = is_transposed_;
  shape.axes = std::ssize(window);
  shape.sizes.batch = x[0];
  shape.sizes.groups = groups();
  shape.sizes.channels_in = x[1];
  shape.sizes.channels_out = is_transposed_ ? weights[1] * groups() : weights[0];
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::size_t axis = max_axes - window.size() + i;
    shape.sizes.in[axis] = window[i].in;
    shape.sizes.out[axis] = window[i].out;
    shape.sizes.kernel[axis] = window[i].kernel;
    shape.sizes.stride[axis] = window[i].stride;
    shape.sizes.dilation[axis] = window[i].dilation;
    shape.sizes.pad[axis] = window[i].pad_begin;
  }
  return shape;
}

std::optional<ConvShape> likely_conv(const NodeView& view, const ConvOp& op) {
  const Tensor* constant = view.constant(1);
  const std::optional<Shape> weights =
      constant != nullptr ? std::optional(constant->shape()) : view.input_shape(1);
  if (!weights) return std::nullopt;
  std::vector<std::int64_t> x(weights->begin(), weights->end());
  x[0] = 1;
  x[1] = op.is_transposed() ? (*weights)[0] : (*weights)[1] * op.groups();
  const PartialShape& given = view.node().input(0)->type().shape;
  for (std::size_t i = 2; i < x.size(); ++i) {
    const bool is_known = given && i < given->size() && (*given)[i].is_known();
    x[i] = is_known ? (*given)[i].number() : likely_pixels;
  }
  try {
    return op.place(Shape(x), *weights);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace ortool::onednn
