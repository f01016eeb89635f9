// Command-line parser: splits words into option values and arguments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/option_values.hpp"

namespace ortool {

struct CommandLine {
  OptionValues options;
  std::vector<std::string> arguments;
};

/// Parses `words`, without the names of program and command, by the command's option table.
/// Throws ErrorCode::invalid for unknown options (with the nearest), missing values
/// and invalid choices; ErrorCode::unsupported for planned options. Abbreviations are
/// unknown options.
CommandLine parse_command_line(const Command& command, std::span<const std::string> words);

}  // namespace ortool
