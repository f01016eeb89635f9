// The operands that convolutions and pools have in common: images, weights, groups.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

/// Attribute 'group', at least 1.
std::int64_t read_groups(AttributeReader& attributes);

/// Throws ErrorCode::invalid when `groups` does not divide `count`.
void check_divides(std::string_view what, std::int64_t count, std::int64_t groups);

/// The number of axes behind N and C of input 0 (an image) and of the input that holds the weights
/// (where there is one), or -1 when nothing tells it. Throws ErrorCode::invalid when they differ.
std::int64_t window_axes(const WindowAttributes& window, const InferContext& context,
                         std::int64_t weights = 1);

/// The dimensions of an input behind N and C.
Dimensions spatial_dimensions(const InferContext& context, std::int64_t input, std::int64_t axes);

/// The kernel's size, by attribute or else by the weights, which must agree.
Dimensions window_kernel(const WindowAttributes& window, const InferContext& context,
                         std::int64_t axes, std::int64_t weights = 1);

/// The output shape of a convolution of input 0, N x C x D1 …, with weights M x C/groups x K1 …;
/// nothing when no input's rank is known. Throws ErrorCode::invalid for operands that cannot be.
PartialShape conv_shape(const WindowAttributes& window, std::int64_t groups,
                        const InferContext& context, std::int64_t weights = 1);

/// The output shape of a pool over input 0; nothing when its rank is unknown.
PartialShape pool_shape(const WindowAttributes& window, const InferContext& context);

}  // namespace ortool
