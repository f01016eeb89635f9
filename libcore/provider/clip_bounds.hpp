// The bounds of a Clip node as numbers, where they are known before a run.
#pragma once

#include <optional>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Infinite where there is no bound.
struct ClipBounds {
  float low;
  float high;
};

/// The bounds when all are attributes or constants of a floating-point type up to 32 bits.
std::optional<ClipBounds> known_clip_bounds(const Node& clip);

}  // namespace ortool
