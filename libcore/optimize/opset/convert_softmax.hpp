// Softmax conversion (LogSoftmax, Hardmax) across opset 13: before, axes from `axis` on were
// flattened.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool {

/// Uses the last axis, or the only one from `axis` on that may have more than one element;
/// otherwise decomposes with Flatten and Reshape. Returns the node that produces the result.
Node& softmax_up(Node& node);

/// Throws ErrorCode::unsupported when an axis after the node's may have several elements.
Node& softmax_down(Node& node);

}  // namespace ortool
