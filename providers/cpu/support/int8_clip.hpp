// Fused int8 Clip: narrows the output range of a kernel with int8 result.
#pragma once

#include <optional>

#include "libcore/provider/node_view.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {

/// The output limits of a group: those of the type, narrowed by the Clips that follow the first
/// node. Empty if any other node follows.
std::optional<Int8Limits> int8_limits(const NodeView& group, DataType type);

/// Whether `next` is a Clip of the int8 output with constant bounds: a KernelRow's `absorbs`.
bool absorbs_int8_clip(const NodeView& group, const Node& next);

}  // namespace ortool::cpu
