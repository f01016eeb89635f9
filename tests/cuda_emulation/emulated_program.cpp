// The ortool program with an emulated device as its GPU, for conformance tests and transcripts: it
// finds the module of this folder. ORTOOL_EMULATION_COUNTS=1 shows what the device was asked to do.
#include <cstdlib>

#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/program.hpp"
#include "apps/ortool/report/standard_output.hpp"

int main(int argc, char** argv) {
  ::setenv("ORTOOL_PROVIDER_PATH", ORTOOL_EMULATED_MODULE_FOLDER, 1);
  ortool::fill_closed_streams();
  return ortool::run_program(ortool::make_commands, argc, argv);
}
