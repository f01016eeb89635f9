// Statistics of a run: time, memory and placement.
#pragma once

#include "apps/ortool/command.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

struct RunTimes {
  double load_ms = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  double run_ms = 0;
};

/// Adds placement, timing and memory to the report, and prints the times on standard error with
/// --verbose. `has_runs` is false if the session ran tests, whose times are meaningless; `profile`
/// may be empty.
void report_figures(Invocation& invocation, const Session& session, const Profile& profile,
                    const RunTimes& times, bool has_runs);

}  // namespace ortool
