// Convolution parameters: sizes from shapes.
#include "providers/cpu/conv/conv_params.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/window_sizes.hpp"

namespace ortool::cpu {
bool has_conv_rank(const NodeView& view) {
  for (std::int64_t input = 0; input < 2; ++input) {
    const std::int64_t rank = view.input_rank(input);
    if (rank >= 0 && (rank < 3 || rank > 2 + max_spatial_axes)) return false;
  }
  return view.input_type(0) == view.input_type(1);
}

namespace {

/// Converts images of one column to images of one row, which kernels process faster; pixels are
/// contiguous either way.
void transpose_columns(ConvSizes& sizes) {
  constexpr int last = max_spatial_axes - 1;
  const bool is_column = sizes.in[last] == 1 && sizes.out[last] == 1 && sizes.kernel[last] == 1;
  if (!is_column || sizes.pad[last] != 0) return;
  for (auto* axes : {&sizes.in, &sizes.out, &sizes.kernel, &sizes.stride, &sizes.dilation})
    std::rotate(std::begin(*axes), std::end(*axes) - 1, std::end(*axes));
  std::rotate(std::begin(sizes.pad), std::end(sizes.pad) - 1, std::end(sizes.pad));
  sizes.stride[0] = 1;
  sizes.dilation[0] = 1;
}

}  // namespace

ConvSizes placed_conv_sizes(const Shape& x, const Shape& weights, std::int64_t groups,
                            std::span<const WindowAxis> window) {
  if (window.size() > max_spatial_axes) {
    throw Error(ErrorCode::unsupported,
                format("a convolution along {} axes is not supported (at most {})", window.size(),
                       max_spatial_axes));
  }
  ConvSizes sizes;
  sizes.batch = x[0];
  sizes.groups = groups;
  sizes.channels_in = x[1];
  sizes.channels_out = weights[0];
  put_window(window, sizes);
  return sizes;
}

ConvSizes conv_sizes(const Shape& x, const Shape& weights, const ortool::Conv& op) {
  ConvSizes sizes = placed_conv_sizes(x, weights, op.groups, op.place(x, weights));
  transpose_columns(sizes);
  return sizes;
}

namespace {

/// The input's shape as far as the model specifies it (0: unknown), for choosing an algorithm.
Shape likely_input(const NodeView& view, const Shape& weights, std::int64_t groups) {
  std::vector<std::int64_t> shape(weights.begin(), weights.end());
  shape[0] = 1;
  shape[1] = weights[1] * groups;
  const PartialShape& given = view.node().input(0)->type().shape;
  for (std::size_t i = 2; i < shape.size(); ++i) {
    shape[i] = given && i < given->size() && (*given)[i].is_known() ? (*given)[i].number() : 0;
  }
  return Shape(shape);
}

}  // namespace

ConvSizes likely_conv_sizes(const NodeView& view, const Shape& weights, const ortool::Conv& op) {
  const Shape likely = likely_input(view, weights, op.groups);
  if (std::find(likely.begin(), likely.end(), 0) == likely.end())
    return conv_sizes(likely, weights, op);
  ConvSizes sizes;
  sizes.groups = op.groups;
  sizes.channels_in = likely[1];
  sizes.channels_out = weights[0];
  for (std::int64_t i = 2; i < weights.rank(); ++i)
    sizes.kernel[max_spatial_axes - weights.rank() + i] = weights[i];
  for (std::int64_t& out : sizes.out) out = 0;
  return sizes;
}

}  // namespace ortool::cpu
