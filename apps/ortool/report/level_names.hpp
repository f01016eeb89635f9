// Names of the optimization levels, as options, reports and JSON have them.
#pragma once

#include <string_view>

#include "libcore/optimize/optimize_level.hpp"

namespace ortool {

/// "none", "basic", "extended" or "all".
std::string_view name_of(OptimizeLevel level);

/// The level of one of these names; options check theirs before, and any other text is `all`.
OptimizeLevel optimize_level(std::string_view name);

}  // namespace ortool
