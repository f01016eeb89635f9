// Runs a user's shell command, with support for stop requests.
#pragma once

#include <string>

#include "libcore/base/stop_token.hpp"

namespace ortool {

/// The result of a command: the last 64 KiB of its standard output, and its exit code (128 plus the
/// signal number if a signal terminated it).
struct CommandEnd {
  std::string output;
  int exit_code = 0;
};

/// Runs `line` with /bin/sh in a process group of its own. A stop request terminates the group, and
/// its reason is thrown. Throws ErrorCode::invalid when the process cannot be started.
CommandEnd run_outside_command(const std::string& line, const StopToken& stop);

}  // namespace ortool
