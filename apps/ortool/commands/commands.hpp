// Factories of all commands.
#pragma once

#include <memory>
#include <string_view>

#include "apps/ortool/command.hpp"

namespace ortool {

std::unique_ptr<const Command> make_run_command();
std::unique_ptr<const Command> make_optimize_command();
std::unique_ptr<const Command> make_inspect_command();
std::unique_ptr<const Command> make_bench_command();
std::unique_ptr<const Command> make_quantize_command();
std::unique_ptr<const Command> make_providers_command();
std::unique_ptr<const Command> make_schema_command();
std::unique_ptr<const Command> make_completion_command();

}  // namespace ortool
