// Early checks: what can be said of the options before the model is loaded.
#pragma once

#include <string>
#include <string_view>

#include "apps/ortool/option_values.hpp"

namespace ortool {

/// Throws ErrorCode::invalid for files to read that are missing.
void check_before_loading(const OptionValues& options);

/// What to do about an argument too many that a shell made of a pattern in an option; empty if it
/// is not the reason.
std::string hint_for_expanded_pattern(const OptionValues& options, std::string_view argument);

}  // namespace ortool
