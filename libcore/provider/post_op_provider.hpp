// Post-op provider interface: computes a depthwise convolution together with the one that it reads.
#pragma once

#include "libcore/provider/provider.hpp"

namespace ortool {

/// A provider with kernels for two groups at once (oneDNN calls the second one a post-op). Lowering
/// asks it when layouts are assigned, and merges what it appends
/// (libcore/lower/append_depthwise.hpp).
class PostOpProvider : public Provider {
 public:
  /// Whether compile() takes one group made of `group` and `next`, which alone reads the only
  /// output of `group`, as its first input and in the layout that it has, and whether that is
  /// faster. Both are groups that this provider claimed, with the layouts of their views.
  virtual bool appends(const NodeView& group, const NodeView& next) const = 0;
};

}  // namespace ortool
