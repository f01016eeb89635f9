// Operands common to convolutions and pools: images, weights, groups.
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

/// The number of spatial axes of input 0 (an image) and of the weights' input (if there is one), or
/// -1 when it is unknown. Throws ErrorCode::invalid when they differ.
std::int64_t window_axes(const WindowAttributes& window, const InferContext& context,
                         std::int64_t weights = 1);

/// The spatial dimensions of an input, those after N and C.
Dimensions spatial_dimensions(const InferContext& context, std::int64_t input, std::int64_t axes);

/// The kernel size, from the attribute or else from the weights; both must agree.
Dimensions window_kernel(const WindowAttributes& window, const InferContext& context,
                         std::int64_t axes, std::int64_t weights = 1);

/// The output shape of a convolution of input 0, N x C x D1 …, with weights M x C/groups x K1 …;
/// nothing when no rank is known. Throws ErrorCode::invalid for incompatible operands.
PartialShape conv_shape(const WindowAttributes& window, std::int64_t groups,
                        const InferContext& context, std::int64_t weights = 1);

/// The output shape of a pool over input 0; nothing when its rank is unknown.
PartialShape pool_shape(const WindowAttributes& window, const InferContext& context);

}  // namespace ortool
