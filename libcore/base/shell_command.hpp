// A command line of the user's, run by a shell, that ends when ortool is told to.
#pragma once

#include <string>

#include "libcore/base/stop_token.hpp"

namespace ortool {

/// How a command ended: the end of what it printed on standard output, 64 KiB at most, and its exit
/// code; 128 and the signal's number where a signal ended it.
struct CommandEnd {
  std::string output;
  int exit_code = 0;
};

/// Runs `line` by /bin/sh in a process group of its own, which is terminated when `stop` is
/// requested; then throws its reason. Throws ErrorCode::invalid where it cannot be started.
CommandEnd run_outside_command(const std::string& line, const StopToken& stop);

}  // namespace ortool
