// Run-time sizes: a source from which generated nodes can compute a dynamic dimension.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/optimize/rewrite/replacement.hpp"

namespace ortool {

/// A value and one of its axes.
struct SizeSource {
  Value* value;
  std::int64_t axis;
};

/// A graph input with an axis of length `size`; a single source lets all nodes that need the size
/// share it.
std::optional<SizeSource> find_size(const Graph& graph, const Dimension& size);

/// An int64[1] that holds the size.
Value& add_size(Replacement& replacement, const SizeSource& source);

}  // namespace ortool
