// GroupNormalization conversion across opset 21, where scale and bias became per channel.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Repeats scale and bias of groups (opsets 18 to 20) for each channel of the group; at run time if
/// they are computed or the number of channels is unknown.
Node& group_norm_up(Node& node);

/// Decomposes to InstanceNormalization of the groups, since the form of opsets 18 to 20 is
/// deprecated. Needs the rank of the input; throws ErrorCode::unsupported without it.
Node& group_norm_down(Node& node);

}  // namespace ortool
