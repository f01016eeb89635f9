// Splitting a command's words into option values and arguments.
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

/// Reads `words`, which hold neither the program's nor the command's name, by the option table.
/// Throws ErrorCode::invalid for unknown options (with the nearest and the list), missing values
/// and values that are no choice; ErrorCode::unsupported for planned options. Abbreviations are
/// unknown options.
CommandLine parse_command_line(const std::vector<OptionGroup>& options,
                               std::span<const std::string> words);

/// Throws ErrorCode::invalid when the value is none of the option's choices, ErrorCode::unsupported
/// when the option is planned.
void check_option(const OptionSpec& option, std::string_view value);

}  // namespace ortool
