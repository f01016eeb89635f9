// The list of the program's commands.
#include "apps/ortool/commands/commands.hpp"

namespace ortool {

Commands make_commands() {
  Commands commands;
  commands.push_back(make_run_command());
  commands.push_back(make_inspect_command());
  commands.push_back(make_optimize_command());
  commands.push_back(make_quantize_command());
  commands.push_back(make_bench_command());
  commands.push_back(make_merge_command());
  commands.push_back(make_providers_command());
  commands.push_back(make_schema_command());
  commands.push_back(make_completion_command());
  return commands;
}

}  // namespace ortool
