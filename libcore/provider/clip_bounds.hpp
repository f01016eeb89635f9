// Bounds of a Clip node that are known before a run.
#pragma once

#include <optional>

#include "libcore/provider/node_view.hpp"

namespace ortool {

/// Infinite if there is no bound.
struct ClipBounds {
  float low;
  float high;
};

/// The bounds if both are attributes or constants of a floating-point type of at most 32 bits.
std::optional<ClipBounds> known_clip_bounds(const NodeView& group, const Node& clip);

}  // namespace ortool
