// Manual pages in roff, generated from the tables that also drive parsing and help.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "apps/ortool/command.hpp"

namespace ortool {

/// ortool(1): purpose, commands and exit codes of the program.
std::string program_man_page(std::span<const std::unique_ptr<const Command>> commands);

/// ortool-COMMAND(1): arguments, options and examples of one command.
std::string command_man_page(const Command& command);

}  // namespace ortool
