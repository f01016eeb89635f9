// Commands of the program: the list, and a factory for each.
#pragma once

#include <memory>
#include <string_view>

#include "apps/ortool/command.hpp"

namespace ortool {

std::unique_ptr<const Command> make_run_command();
/// In place of make_run_command() in minimal builds.
std::unique_ptr<const Command> make_plain_run_command();
std::unique_ptr<const Command> make_optimize_command();
std::unique_ptr<const Command> make_inspect_command();
std::unique_ptr<const Command> make_bench_command();
std::unique_ptr<const Command> make_merge_command();
std::unique_ptr<const Command> make_quantize_command();
std::unique_ptr<const Command> make_providers_command();
std::unique_ptr<const Command> make_schema_command();
std::unique_ptr<const Command> make_completion_command();

/// All of them, in the order of the help.
Commands make_commands();

}  // namespace ortool
