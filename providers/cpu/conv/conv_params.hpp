// What every kernel row of Conv reads of its node: sizes, followers, constants with their scale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/provider/node_view.hpp"
#include "libcore/provider/product_epilogue.hpp"

namespace ortool::cpu {

constexpr std::int64_t most_spatial_axes = 3;

/// What followers may ask of a convolution.
ProductForm conv_form(const NodeView& view);

/// Ranks, as far as they are known, that there are kernels for; both operands of one type.
bool has_conv_rank(const NodeView& view);

/// The sizes of a convolution of `x` by `weights` whose window was placed. Throws
/// ErrorCode::unsupported for more axes than there are kernels for.
ConvSizes placed_conv_sizes(const Shape& x, const Shape& weights, std::int64_t groups,
                            std::span<const WindowAxis> window);

/// The same for float kernels, which take a single column as a row.
ConvSizes conv_sizes(const Shape& x, const Shape& weights, const ortool::Conv& op);

/// The sizes as far as the model tells them, for choosing a path; `out` is 0 where it does not.
ConvSizes likely_conv_sizes(const NodeView& view, const Shape& weights, const ortool::Conv& op);

/// Constant weights, times the followers' scale; nothing when they come at run time.
std::optional<Tensor> folded_weights(const NodeView& view, const ProductFollowers& followers,
                                     MemoryCap* cap);

/// A constant bias with the followers' scale and shift; empty when there is neither.
std::vector<float> folded_bias(const NodeView& view, const ProductFollowers& followers);

}  // namespace ortool::cpu
