// Option combinations of run: options without effect next to others, or without them.
#pragma once

#include "apps/ortool/option_values.hpp"

namespace ortool {

/// Throws ErrorCode::invalid for the first option that would have no effect.
void check_run_options(const OptionValues& options);

}  // namespace ortool
