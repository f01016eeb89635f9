// Where nodes that are made can ask for a size that is only known when the model runs.
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

/// A graph input that is `size` long along an axis; asked of one, all that need a size share it.
std::optional<SizeSource> find_size(const Graph& graph, const Dimension& size);

/// int64[1] that holds the size.
Value& add_size(Replacement& replacement, const SizeSource& source);

}  // namespace ortool
