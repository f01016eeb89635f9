// A Clip behind a kernel that makes bytes, which narrows the bytes it makes.
#pragma once

#include <optional>

#include "libcore/provider/node_view.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {

/// The limits of a group's bytes of the type: those of the type, narrowed by the Clips that follow
/// the first node. Nothing when a follower is something else.
std::optional<Int8Limits> int8_limits(const NodeView& group, DataType type);

/// Whether `next` is a Clip of the group's bytes whose bounds are constants: a KernelRow's
/// `absorbs`.
bool absorbs_int8_clip(const NodeView& group, const Node& next);

}  // namespace ortool::cpu
