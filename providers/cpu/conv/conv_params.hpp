// Convolution parameters of all Conv kernels: ranks and sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool::cpu {

constexpr std::int64_t max_spatial_axes = 3;

/// Whether the ranks, as far as known, are supported and both operands have the same type.
bool has_conv_rank(const NodeView& view);

/// The sizes of a convolution of `x` by `weights` with resolved padding. Throws
/// ErrorCode::unsupported if there are more spatial axes than kernels support.
ConvSizes placed_conv_sizes(const Shape& x, const Shape& weights, std::int64_t groups,
                            std::span<const WindowAxis> window);

/// The same for float kernels, which treat a single column as a row.
ConvSizes conv_sizes(const Shape& x, const Shape& weights, const ortool::Conv& op);

/// The sizes as far as the model specifies them, for choosing an algorithm; unknown `out` is 0.
ConvSizes likely_conv_sizes(const NodeView& view, const Shape& weights, const ortool::Conv& op);

}  // namespace ortool::cpu
