// GroupNormalization across opset 21, where scale and bias became one number a channel.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Scale and bias of groups (opsets 18 to 20) repeated for each channel of the group; computed in
/// the model where they are computed or the number of channels is not known.
Node& group_norm_up(Node& node);

/// Spelled out as InstanceNormalization of the groups, since ONNX declared the form of opsets 18
/// to 20 deprecated. Needs the rank of the input; throws ErrorCode::unsupported without it.
Node& group_norm_down(Node& node);

}  // namespace ortool
