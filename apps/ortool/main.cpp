// The ortool program.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/program.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/file/mapping_guard.hpp"

int main(int argc, char** argv) {
  ortool::fill_closed_streams();
  ortool::end_cleanly_when_mapping_is_lost();
  return ortool::run_program(ortool::make_commands, argc, argv);
}
