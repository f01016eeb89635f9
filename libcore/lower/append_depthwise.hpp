// Depthwise post-ops: merges a convolution with the depthwise one that alone reads its result.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/lower/place.hpp"

namespace ortool {

/// Merges pairs of groups that their provider computes together (PostOpProvider), after layouts
/// have been assigned: the value between them then never exists whole. A group of both, with the
/// inputs of the first and those of the second but that value, stands in the place of the second.
/// Values that are read elsewhere, or are outputs of the graph, are left as they are. Returns the
/// number of pairs.
std::int64_t append_depthwise(std::vector<PlacedGroup>& groups);

/// The same for all graphs.
std::int64_t append_depthwise(PlacedGraphs& placed);

}  // namespace ortool
