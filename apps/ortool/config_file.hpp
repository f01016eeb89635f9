// Options from a JSON file.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"

namespace ortool {

/// Of a file of options.
inline constexpr std::int64_t most_config_bytes = 1 << 20;

/// Adds to `options` what the file at `path` gives and the command line does not. Keys are option
/// names without dashes; a key that is a command's name holds options for that command alone. Lists
/// stand for repeated options. Throws ErrorCode::invalid for anything else.
void read_config_file(const std::string& path, const Command& command,
                      std::span<const std::unique_ptr<const Command>> commands,
                      OptionValues& options);

}  // namespace ortool
