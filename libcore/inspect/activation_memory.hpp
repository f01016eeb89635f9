// The memory that values take while a graph runs.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Bytes of all values that live at once while the nodes run in order, at most: each from its
/// making to its last use, inputs from the start, outputs to the end. Nothing where a shape is not
/// known.
std::optional<std::int64_t> peak_activation_bytes(const Graph& graph);

}  // namespace ortool
