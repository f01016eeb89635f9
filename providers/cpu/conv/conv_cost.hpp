// About how long convolutions take, plain and blocked, for choosing between the two.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool::cpu {

/// The node's sizes, with common ones in the place of dimensions that are not known. Nothing when
/// the number of channels is not.
std::optional<ConvSizes> common_conv_sizes(const NodeView& view, const Shape& weights,
                                           const ortool::Conv& op);

/// By measurements on one core of an Emerald Rapids Xeon; other processors are slower on either
/// side.
double nchw_conv_nanoseconds(const ConvSizes& sizes);
double nchwc_conv_nanoseconds(const ConvSizes& sizes, NchwcConvAlgorithm path, std::int64_t block);

}  // namespace ortool::cpu
