// Convolution cost model: estimated time in NCHW and NCHWc, for choosing a layout.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool::cpu {

/// The node's sizes, with typical values for unknown dimensions. Empty if channels are unknown.
std::optional<ConvSizes> common_conv_sizes(const NodeView& view, const Shape& weights,
                                           const ortool::Conv& op);

/// From measurements on a core of an Emerald Rapids Xeon; elsewhere both sides are slower.
double nchw_conv_nanoseconds(const ConvSizes& sizes);
double nchwc_conv_nanoseconds(const ConvSizes& sizes, NchwcConvAlgorithm path, std::int64_t block);

/// The same with bfloat16 operands, from NCHWc input or from NCHW.
double bf16_conv_nanoseconds(const ConvSizes& sizes, bool from_nchw, Isa isa);

}  // namespace ortool::cpu
