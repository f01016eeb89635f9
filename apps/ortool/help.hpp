// Help texts, generated from the tables that also drive parsing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apps/ortool/command.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// A process exit code and what it means, in a few words.
struct ExitCode {
  int code;
  std::string_view meaning;
};

std::span<const ExitCode> exit_codes();

/// The help of an option, or the list of its choices if it has none.
std::string option_help(const OptionSpec& option);

/// The text of `ortool`, `ortool help` and `ortool --help`.
std::string program_help(std::span<const std::unique_ptr<const Command>> commands);

/// Which options a help text shows.
enum class HelpScope { frequent, all };

/// Usage and examples, then the options in groups: one screen of the frequent ones, or all.
std::string command_help(const Command& command, HelpScope scope);

/// The same for programs: {commands: [{name, summary, arguments, options, examples}]}.
Json help_block(std::span<const std::unique_ptr<const Command>> commands);

}  // namespace ortool
