// Names of the optimization levels in options, reports and JSON.
#pragma once

#include <string_view>

#include "libcore/optimize/optimize_level.hpp"

namespace ortool {

/// "none", "basic", "extended" or "all".
std::string_view name_of(OptimizeLevel level);

/// The level of one of these names; options are checked before, and any other text is `all`.
OptimizeLevel optimize_level(std::string_view name);

}  // namespace ortool
