// Opsets in which ONNX's operators took the form that rewriting asks about.
#pragma once

#include <cstdint>

namespace ortool {

/// Reshape takes its shape as an input.
inline constexpr std::int64_t opset_with_shape_input = 5;
/// Operands are broadcast as in numpy; before, an attribute says how.
inline constexpr std::int64_t opset_with_broadcasting = 7;
/// AveragePool counts its pads where an attribute says so.
inline constexpr std::int64_t opset_with_counted_pads = 7;
/// Clip takes its bounds as inputs.
inline constexpr std::int64_t opset_with_clip_inputs = 11;
/// Gemm needs no C.
inline constexpr std::int64_t opset_with_optional_c = 11;
/// Pad takes bytes.
inline constexpr std::int64_t opset_with_byte_pad = 11;
/// Resize has an attribute for the coordinates it computes with.
inline constexpr std::int64_t opset_with_coordinates = 11;
/// DepthToSpace has modes.
inline constexpr std::int64_t opset_with_depth_modes = 11;
/// Clip, Min and Max take bytes.
inline constexpr std::int64_t opset_with_byte_clip = 12;
/// MaxPool takes bytes.
inline constexpr std::int64_t opset_with_byte_pool = 12;
inline constexpr std::int64_t opset_with_einsum = 12;
/// Squeeze and Unsqueeze take their axes as an input.
inline constexpr std::int64_t opset_with_axes_input = 13;
/// Split takes the sizes of its parts as an input.
inline constexpr std::int64_t opset_with_size_input = 13;
/// QuantizeLinear and DequantizeLinear have an axis.
inline constexpr std::int64_t opset_with_scale_axis = 13;
/// Softmax takes one axis; before, all from one on together.
inline constexpr std::int64_t opset_with_softmax_axis = 13;
inline constexpr std::int64_t opset_with_layer_norm = 17;
/// GroupNormalization has a scale for each channel; before, for each group.
inline constexpr std::int64_t opset_with_channel_scales = 21;

}  // namespace ortool
