// The ortool program: the list of its commands.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/program.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/file/mapping_guard.hpp"

namespace {

ortool::Commands make_commands() {
  using namespace ortool;
  Commands commands;
  commands.push_back(make_run_command());
  commands.push_back(make_inspect_command());
  commands.push_back(make_optimize_command());
  commands.push_back(make_quantize_command());
  commands.push_back(make_bench_command());
  commands.push_back(make_providers_command());
  commands.push_back(make_schema_command());
  commands.push_back(make_completion_command());
  return commands;
}

}  // namespace

int main(int argc, char** argv) {
  ortool::fill_closed_streams();
  ortool::end_cleanly_when_mapping_is_lost();
  return ortool::run_program(make_commands, argc, argv);
}
