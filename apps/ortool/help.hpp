// Help texts, made from the tables that also drive parsing.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/report/json.hpp"

namespace ortool {

/// What `ortool`, `ortool help` and `ortool --help` show.
std::string program_help(std::span<const std::unique_ptr<const Command>> commands);

/// Examples first, then arguments and options.
std::string command_help(const Command& command);

/// The same for programs: {commands: [{name, summary, arguments, options, examples}]}.
Json help_block(std::span<const std::unique_ptr<const Command>> commands);

}  // namespace ortool
