// Statistics of a run: time, memory and placement.
#pragma once

#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/base/function_ref.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

struct RunTimes {
  double load_ms = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  double run_ms = 0;
};

/// The middle one of at least one time, the later of two.
double median_ms(std::vector<double> times);

/// Calls `run` as often as --iterations says: with progress to report to, null if there are several
/// runs, and whether it is the last. Sets the times of runs.
void run_iterations(Invocation& invocation, RunTimes& times,
                    FunctionRef<void(Progress* progress, bool is_last)> run);

/// Adds a line on the times of several runs.
void report_iterations(Invocation& invocation, const RunTimes& times);

/// Adds placement, timing and memory to the report, and prints the times on standard error with
/// --verbose. `has_runs` is false if the session ran tests, whose times are meaningless; `profile`
/// may be empty.
void report_figures(Invocation& invocation, const Session& session, const Profile& profile,
                    const RunTimes& times, bool has_runs);

}  // namespace ortool
