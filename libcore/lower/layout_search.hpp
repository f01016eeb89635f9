// The search for the layouts that cost least.
#pragma once

#include <vector>

#include "libcore/lower/place.hpp"

namespace ortool {

/// The choice of each group. Empty when all are best plain.
std::vector<LayoutChoice> choose_layouts(const std::vector<PlacedGroup>& groups);

}  // namespace ortool
