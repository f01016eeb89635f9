// Configuration file: options from JSON.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"

namespace ortool {

/// Size limit of a configuration file.
inline constexpr std::int64_t max_config_bytes = 1 << 20;

/// Adds the options of the file at `path` that the command line does not give. Keys are option
/// names without dashes; a key that is a command's name holds options of that command only. Lists
/// are repeated options. Throws ErrorCode::invalid for anything else.
void read_config_file(const std::string& path, const Command& command,
                      std::span<const std::unique_ptr<const Command>> commands,
                      OptionValues& options);

}  // namespace ortool
