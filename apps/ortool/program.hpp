// The program from its arguments to its exit code.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

/// Runs the command that the arguments of main() name, one of those that `make_commands` returns:
/// parses options, runs, writes the result to stdout and the report file, errors to stderr.
/// Returns the exit code. Never throws, whichever allocation fails.
int run_program(Commands (*make_commands)(), int argc, char** argv) noexcept;

/// Which of two exit codes is returned when both apply: 130/143, 124, 2, 5, 4, 6, 7, 3, 1, 0.
int graver_exit_code(int a, int b);

}  // namespace ortool
