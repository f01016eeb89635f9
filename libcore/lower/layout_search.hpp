// Search for the cheapest layout assignment.
#pragma once

#include <vector>

#include "libcore/lower/place.hpp"

namespace ortool {

/// The choice of each group. Empty when the plain layout is best for all.
std::vector<LayoutChoice> choose_layouts(const std::vector<PlacedGroup>& groups);

}  // namespace ortool
