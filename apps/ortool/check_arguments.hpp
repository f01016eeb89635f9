// Checks of a command's arguments, the words that are not options.
#pragma once

#include <span>
#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/option_values.hpp"
#include "libcore/base/error.hpp"

namespace ortool {

/// Throws ErrorCode::invalid for arguments that are missing, too many, or not among the choices.
void check_arguments(const Command& command, std::span<const std::string> arguments,
                     const OptionValues& options);

/// For an argument that is one too many.
Error unexpected_argument(const Command& command, const std::string& extra,
                          const OptionValues& options);

}  // namespace ortool
