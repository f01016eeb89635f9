// Softmax, LogSoftmax and Hardmax across opset 13: before, all axes from `axis` on were one.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Along the last axis, or the only one from `axis` on that is not known to have one element;
/// otherwise spelled out with Flatten and Reshape. Returns the node that makes the result.
Node& softmax_up(Node& node);

/// Throws ErrorCode::unsupported where an axis behind the node's may have several elements.
Node& softmax_down(Node& node);

}  // namespace ortool
