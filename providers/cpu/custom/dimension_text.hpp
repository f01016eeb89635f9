// Dimensions from text: formulas over symbols as custom operators write them.
#pragma once

#include <string_view>

#include "libcore/graph/dimension.hpp"

namespace ortool::cpu {

/// "2*n + 1", "(h + 1)/2" (rounded down), "batch"; unknown for "?" and for any other text.
Dimension parse_dimension(std::string_view text, const SymbolMap& symbols);

}  // namespace ortool::cpu
