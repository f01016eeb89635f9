// Option synonyms: what other tools, and earlier versions, call options of this program.
#pragma once

#include <string_view>
#include <vector>

#include "apps/ortool/option.hpp"

namespace ortool {

/// How `name`, without dashes, is written here: "--iterations" for "repeat". Empty if no option in
/// `groups` means it.
std::string_view option_for_synonym(std::string_view name, const std::vector<OptionGroup>& groups);

}  // namespace ortool
