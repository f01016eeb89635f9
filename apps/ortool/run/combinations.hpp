// Option combinations of run: options without effect next to others, or without them.
#pragma once

#include <span>
#include <string>

#include "apps/ortool/option_values.hpp"

namespace ortool {

/// Throws ErrorCode::invalid for the first option, or one of the `files` after MODEL, that would
/// have no effect.
void check_run_options(const OptionValues& options, std::span<const std::string> files);

}  // namespace ortool
