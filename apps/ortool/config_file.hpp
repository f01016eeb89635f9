// Configuration file: options from JSON.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// Size limit of a configuration file.
inline constexpr std::int64_t max_config_bytes = 1 << 20;

/// Adds the options of a JSON object that `options` does not hold yet. Keys are names of options in
/// `groups`; a key that is the name of one of `commands` holds options of that command only, which
/// count if it is `name`. Lists are repeated options. Throws ErrorCode::invalid for anything else,
/// where `where_all_are` ends the hint.
void read_options(const Json& document, const std::vector<OptionGroup>& groups,
                  std::string_view name, std::string_view where_all_are,
                  std::span<const std::unique_ptr<const Command>> commands, OptionValues& options);

/// Adds the options of the file at `path` that the command line does not give, as
/// read_options() takes them.
void read_config_file(const std::string& path, const Command& command,
                      std::span<const std::unique_ptr<const Command>> commands,
                      OptionValues& options);

}  // namespace ortool
