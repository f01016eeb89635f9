// The program from its arguments to its exit code.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/command.hpp"

namespace ortool {

/// Runs the command that `words` (without the program's name) ask for: reads options, runs, writes
/// the result to stdout and the report file, says errors on stderr. Returns the exit code. Throws
/// nothing.
int run_program(const Commands& commands, std::vector<std::string> words) noexcept;

/// Which of two exit codes is told when both apply: 130/143, 124, 2, 5, 4, 6, 7, 3, 1, 0.
int graver_exit_code(int a, int b);

}  // namespace ortool
